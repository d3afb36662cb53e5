import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { forManyStarts } from "../fakes/program.ts";

export interface StoreProcess {
  child: ChildProcessWithoutNullStreams;
  /** Lets it begin. */
  go(): void;
  /** What it has done, as it does it; ends with the process. */
  lines: AsyncIterableIterator<string>;
}

/** Starts `store-process.ts`; it waits for the signal to start. */
export async function startProcess(...args: string[]): Promise<StoreProcess> {
  const child = spawn(process.execPath, [...forManyStarts, join(import.meta.dirname, "store-process.ts"), ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).value !== '"ready"') throw new Error(`the process did not start: ${stderr}`);
  return { child, lines, go: () => void child.stdin.write("go\n") };
}

/** What it does until it ends. */
export async function allOf({ lines }: StoreProcess): Promise<unknown[]> {
  return Array.fromAsync(lines, (line): unknown => JSON.parse(line));
}
