import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import { createLifeline } from "../../../kit/process/lifeline.ts";
import { runCommand } from "../../../kit/process/run-command.ts";

/** Says what a command of the user's own wrote, and how it ended. */
export interface ShellRun {
  line: string;
  /** Holds what it wrote to stdout and stderr, in order, at most so much as is kept. */
  output: string;
  end: ShellEnd;
  elapsedMs: number;
}

export type ShellEnd =
  | { is: "exit"; code: number }
  | { is: "signal"; signal: string }
  /** It was ended: by the user, after its time, or because it wrote too much. */
  | { is: "stopped" | "time" | "size" }
  | { is: "not-started"; reason: string };

export interface ShellOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Receives each line that it writes, without colours. */
  onLine(line: string): void;
  signal: AbortSignal;
  limits?: { timeoutMs: number; mostBytes: number };
}

/** Limits a command of the user's own: its time, and what it may write, in bytes. */
export const shellLimits = { timeoutMs: 600_000, mostBytes: 5_000_000 };

/**
 * Runs a line in the system's shell, in our folder and without input. It ends with all that it has started when the signal aborts,
 * when its time is over, or with us. Never rejects.
 */
export async function runShellLine(
  line: string,
  { environment, onLine, signal, limits = shellLimits }: ShellOptions,
): Promise<ShellRun> {
  const began = performance.now();
  const env = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const lifeline = createLifeline(env.PATH);
  const reading = createLineReader(onLine);
  // What it writes to stderr stands where it was written. The line end keeps a comment at the end from hiding anything.
  const merged = process.platform === "win32" ? `(${line}) 2>&1` : `exec 2>&1\n${line}\n`;
  let end: ShellEnd;
  try {
    const onOutput = reading.push;
    const { ending, stopped } = await runCommand(merged, env, { ...limits, signal, onOutput }, lifeline);
    if (stopped !== undefined) end = { is: stopped === "output" ? "size" : "time" };
    else if (ending.error) end = { is: "not-started", reason: ending.error.message };
    else if (ending.signal !== null) end = { is: "signal", signal: ending.signal };
    else end = { is: "exit", code: ending.code ?? 1 };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    end = signal.aborted ? { is: "stopped" } : { is: "not-started", reason };
  } finally {
    lifeline.close();
  }
  return { line, output: reading.end(), end, elapsedMs: Math.round(performance.now() - began) };
}

/** Splits output into lines; of a line that is rewritten, as by a progress bar, the last state counts. */
function createLineReader(onLine: (line: string) => void): { push(chunk: Buffer): void; end(): string } {
  const decoder = new StringDecoder("utf8");
  const lines: string[] = [];
  let rest = "";

  function take(text: string): void {
    const line = stripVTControlCharacters(text.replace(/\r$/, "").replace(/^.*\r/s, ""));
    lines.push(line);
    onLine(line);
  }

  return {
    push(chunk) {
      const parts = (rest + decoder.write(chunk)).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) take(part);
    },
    end() {
      rest += decoder.end();
      if (rest !== "") take(rest);
      rest = "";
      return lines.join("\n");
    },
  };
}
