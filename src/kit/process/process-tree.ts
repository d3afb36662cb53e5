import { spawn } from "node:child_process";
import { win32 } from "node:path";
import { ignoreRejection } from "../async/ignore-rejection.ts";
import { sleep } from "../async/timeout.ts";

/**
 * Says whether a process and all that it starts can be signalled as one group (setpgid(2), kill(2)). Windows has no groups, and
 * Node's `kill` ends the one process there, whatever the signal (https://nodejs.org/api/process.html#signal-events).
 */
export function hasProcessGroups(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== "win32";
}

/**
 * Returns the command of Windows that ends a process with all below it. It finds them by the ids of their parents, and so has to run
 * while the process does. The path is absolute, because a bare name is looked for in the working directory first; the environment is
 * that of a child, whose names are in capitals.
 */
export function toTreeKill(pid: number, { SYSTEMROOT }: Readonly<Record<string, string>>): string[] {
  return [win32.join(SYSTEMROOT || "C:\\Windows", "System32", "taskkill.exe"), "/pid", String(pid), "/t", "/f"];
}

/** Limits how long that command may take, in milliseconds. */
const longestKillMs = 1500;

/** Waits until that command has ended; never rejects. */
export async function killTree([file = "", ...args]: readonly string[]): Promise<void> {
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => {
    const child = spawn(file, args, { stdio: "ignore", windowsHide: true, timeout: longestKillMs });
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const late = ignoreRejection(sleep(2 * longestKillMs, over.signal), "the race ends the wait");
  await Promise.race([ended, late]);
  over.abort();
}
