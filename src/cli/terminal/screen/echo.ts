import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Switches whether a terminal shows what is typed while nothing reads it. An Enter that is shown moves the cursor away from the lines
 * that are to be redrawn, which then stay. What was typed is kept for whoever reads next, and Ctrl-C interrupts as always.
 */
export interface Echo {
  turnOff(): void;
  turnOn(): void;
}

/** Limits how long the change may take, in milliseconds. */
const longestChangeMs = 1000;

/**
 * `fd` is open on the terminal. Does nothing where there is no `stty`, as on Windows, whose console shows nothing that nobody reads.
 * A process that ends gets its terminal back from Node as it was at the start.
 */
export function createEcho(fd: number): Echo {
  let isOff = false;

  function change(word: "echo" | "-echo"): boolean {
    // In the background the terminal belongs to the shell, and a change of it would stop us (SIGTTOU).
    if (!isInForeground()) return false;
    const limits = { timeout: longestChangeMs, killSignal: "SIGKILL" } as const;
    return spawnSync("stty", [word], { stdio: [fd, "ignore", "ignore"], ...limits }).status === 0;
  }

  return {
    turnOff() {
      if (!isOff) isOff = change("-echo");
    },
    turnOn() {
      if (isOff) isOff = !change("echo");
    },
  };
}

/** Says whether what is typed at our terminal comes to us. */
function isInForeground(): boolean {
  const [group, foreground] = process.platform === "linux" ? readLinuxGroups() : readGroups();
  return group !== undefined && group === foreground;
}

/** Reads the fields 5 and 8, `pgrp` and `tpgid`, behind the name of the program, which may hold anything (proc(5)). */
function readLinuxGroups(): (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}

function readGroups(): string[] {
  if (process.platform === "win32") return [];
  const asked = ["-o", "pgid=", "-o", "tpgid=", "-p", `${process.pid}`];
  const { stdout } = spawnSync("ps", asked, { encoding: "utf8", timeout: longestChangeMs, killSignal: "SIGKILL" });
  return (stdout ?? "").trim().split(/\s+/);
}
