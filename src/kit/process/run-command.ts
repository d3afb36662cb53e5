import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { createWaitLimit } from "../async/timeout.ts";
import { Child, type Ending, Tail } from "./child.ts";
import type { Lifeline } from "./lifeline.ts";
import { hasProcessGroups, killTree, toTreeKill } from "./process-tree.ts";

/** Is a line for the system's shell, or a program with its arguments, which no shell reads. */
export type CommandLine = string | readonly string[];

export interface CommandLimits {
  timeoutMs: number;
  /** Limits what it may write to stdout, in bytes. */
  mostBytes: number;
  signal: AbortSignal;
  /** Receives what it writes to stdout as it comes, up to that limit. */
  onOutput?(chunk: Buffer): void;
}

/** Says how a command ended and what it wrote. */
export interface CommandRun {
  ending: Ending;
  /** Holds the whole of stdout, and the end of stderr. */
  output: string;
  errors: string;
  /** States why it was ended early. */
  stopped?: "time" | "output";
}

/** Returns the program and its arguments: a line goes to `/bin/sh -c`, or to `cmd.exe /d /s /c` on Windows. */
export function toProgram(
  command: CommandLine,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): { program: string; args: string[]; isVerbatim: boolean } {
  if (typeof command !== "string") {
    const [program = "", ...args] = command;
    return { program, args, isVerbatim: false };
  }
  if (platform !== "win32") return { program: "/bin/sh", args: ["-c", command], isVerbatim: false };
  // With /s, cmd.exe takes off the outer quotes and leaves the line as it is.
  const shell = env.COMSPEC || env.ComSpec || win32.join(env.SystemRoot || "C:\\Windows", "System32", "cmd.exe");
  return { program: shell, args: ["/d", "/s", "/c", `"${command}"`], isVerbatim: true };
}

/**
 * Runs a command to its end, without input and without a terminal. All that it starts ends with it, with its time, or with us.
 * Rejects with the signal's reason when that aborts, and with what `spawn` throws for arguments that no process can have.
 */
export async function runCommand(
  command: CommandLine,
  env: Record<string, string>,
  { timeoutMs, mostBytes, signal, onOutput }: CommandLimits,
  lifeline: Lifeline,
): Promise<CommandRun> {
  signal.throwIfAborted();
  const child = hasProcessGroups() ? startInGroup(command, env, lifeline) : startOnWindows(command, env);
  const limit = createWaitLimit(timeoutMs, signal);
  const stop = (): void => void child.stop();
  limit.signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) return stop();
    chunks.push(chunk);
    onOutput?.(chunk);
  });
  try {
    const ending = await child.ended;
    await child.stop();
    signal.throwIfAborted();
    const stopped = bytes > mostBytes ? "output" : limit.expired ? "time" : undefined;
    const output = Buffer.concat(chunks).toString("utf8");
    return { ending, output, errors: child.words.toString(), ...(stopped && { stopped }) };
  } finally {
    limit.clear();
  }
}

type StartedCommand = Pick<Child, "stdout" | "ended" | "words" | "stop">;

function startInGroup(command: CommandLine, env: Record<string, string>, lifeline: Lifeline): StartedCommand {
  const { program, args } = toProgram(command, env);
  const child = new Child({ command: program, args, env, mayCloseOutput: true, lastWordsMs: 2000 }, lifeline);
  child.stdin?.end();
  return child;
}

function startOnWindows(command: CommandLine, env: Record<string, string>): StartedCommand {
  const { program, args, isVerbatim } = toProgram(command, env);
  const child = spawn(program, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  const words = new Tail();
  child.stderr.on("data", (chunk: Buffer) => words.push(chunk));
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  let isOver = false;
  const end = (ending: Ending): void => {
    isOver = true;
    resolve(ending);
  };
  child.once("error", (error) => end({ code: null, signal: null, error }));
  child.once("close", (code, signal) => end({ code, signal }));
  return {
    stdout: child.stdout,
    ended,
    words,
    async stop() {
      const environment = { SYSTEMROOT: env.SystemRoot ?? env.SYSTEMROOT ?? "" };
      if (!isOver && child.pid !== undefined) await killTree(toTreeKill(child.pid, environment));
    },
  };
}
