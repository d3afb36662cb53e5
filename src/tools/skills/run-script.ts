import { createTimeLimit } from "../../kit/async/timeout.ts";
import { Child, type Ending } from "../../kit/process/child.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";

/** A script with all that it is started with. */
export interface ScriptCall {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: string;
  /** Milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** How a script ended, and what it wrote. */
export interface ScriptRun {
  ending: Ending;
  /** What it wrote to stdout, in bounded memory. */
  output: string;
  /** The end of what it wrote to stderr. */
  errors: string;
  /** Why it was ended before it was done. */
  stopped?: "time" | "output";
}

/** One that writes more than this, in bytes, is ended. */
const mostBytes = 10_000_000;

/**
 * Runs a script to its end, without a shell, in a process group that ends with it, with its time, or with us. Rejects with the
 * signal's reason when that aborts, and with what `spawn` throws for arguments that no process can have.
 */
export async function runScript(call: ScriptCall, lifeline: Lifeline): Promise<ScriptRun> {
  const { command, args, cwd, env, stdin, timeoutMs, signal } = call;
  signal.throwIfAborted();
  const child = new Child({ command, args, cwd, env, mayCloseOutput: true, lastWordsMs: 2000 }, lifeline);
  const limit = createTimeLimit(timeoutMs, () => new Error("late"), signal);
  const stop = (): void => void child.stop();
  limit.signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
    else stop();
  });
  child.stdin?.end(stdin);
  try {
    const ending = await child.ended;
    await child.stop();
    signal.throwIfAborted();
    const output = Buffer.concat(chunks).toString("utf8").trim();
    const errors = child.words.toString().trim();
    const stopped = limit.expired ? "time" : bytes > mostBytes ? "output" : undefined;
    return { ending, output, errors, ...(stopped && { stopped }) };
  } finally {
    limit.clear();
  }
}
