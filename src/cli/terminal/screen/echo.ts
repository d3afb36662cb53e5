import { spawnSync } from "node:child_process";
import { fstatSync, readFileSync } from "node:fs";

/**
 * Switches whether a terminal shows what is typed while nothing reads it. An Enter that is shown moves the cursor away from the lines
 * that are to be redrawn, which then stay. What was typed is kept for whoever reads next, and Ctrl-C interrupts as always.
 */
export interface Echo {
  turnOff(): void;
  turnOn(): void;
}

export interface EchoOptions {
  /** Is open on the terminal. Without it nothing is changed. */
  fd: number | undefined;
  /** Turns the echo on for good when it aborts. */
  signal: AbortSignal | undefined;
}

/** Limits how long the change may take, in milliseconds. */
const longestChangeMs = 1000;

/**
 * Does nothing where there is no `stty`, as on Windows, whose console shows nothing that nobody reads.
 *
 * Node gives the terminal back as it was at the start when the process exits, but not when another program takes its place (`exitNow`
 * in exit.ts), which only follows an abort. After SIGKILL the shell that started us gives its terminal the modes of its own. Another
 * process that turned the echo on after our end could meet that shell while it reads a line, and every key would stand there twice.
 */
export function createEcho({ fd, signal }: EchoOptions): Echo {
  let state: "on" | "off" | "unavailable" = fd === undefined ? "unavailable" : "on";

  function change(word: "echo" | "-echo"): boolean {
    const limits = { timeout: longestChangeMs, killSignal: "SIGKILL" } as const;
    return spawnSync("stty", [word], { stdio: [fd, "ignore", "ignore"], ...limits }).status === 0;
  }

  function turnOff(): void {
    if (state !== "on" || signal?.aborted) return;
    const isOurs = isInForeground();
    // In the background the terminal belongs to the shell, and a change of it would stop us (SIGTTOU).
    if (isOurs === false) return;
    // Before the change: whoever stops us in the middle of it gives the terminal other modes afterwards.
    if (isOurs) addListeners();
    // What fails once would hold up every line.
    state = isOurs && change("-echo") ? "off" : "unavailable";
  }

  /** Turns the echo off again when a shell continues us: meanwhile the terminal had the shell's modes, or a change ran out of time. */
  function turnOffAgain(): void {
    state = "on";
    turnOff();
  }

  function turnOn(): void {
    removeListeners();
    if (state !== "off" || !isInForeground()) return;
    change("echo");
    // Also where that failed, as when we were stopped for longer than it may take: the next change is tried.
    state = "on";
  }

  function addListeners(): void {
    // Removing it first would lose a signal that has arrived and is not yet delivered.
    if (process.listeners("SIGCONT").includes(turnOffAgain)) return;
    process.on("SIGCONT", turnOffAgain);
    signal?.addEventListener("abort", turnOn);
  }

  function removeListeners(): void {
    process.off("SIGCONT", turnOffAgain);
    signal?.removeEventListener("abort", turnOn);
  }

  return { turnOff, turnOn };
}

/**
 * Returns what is open on the terminal that is drawn on, and undefined where it is not ours alone: a program that reads our output,
 * as a pager, has modes of its own for the same terminal.
 */
export function findEchoTerminal(stdout: { readonly isTTY?: boolean }): number | undefined {
  if (stdout.isTTY) return 1;
  try {
    const state = fstatSync(1);
    return state.isFIFO() || state.isSocket() ? undefined : 2;
  } catch {
    return undefined;
  }
}

/** Says whether what is typed at our terminal comes to us; undefined where that cannot be found out. */
function isInForeground(): boolean | undefined {
  const [group, foreground] = process.platform === "linux" ? readLinuxGroups() : readGroups();
  return group === undefined || foreground === undefined ? undefined : group === foreground;
}

/** Reads the fields 5 and 8, `pgrp` and `tpgid`, behind the name of the program, which may hold anything (proc(5)). */
function readLinuxGroups(): (string | undefined)[] {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [fields[2], fields[5]];
  } catch {
    // It may not be mounted.
    return [];
  }
}

function readGroups(): string[] {
  if (process.platform === "win32") return [];
  const asked = ["-o", "pgid=", "-o", "tpgid=", "-p", `${process.pid}`];
  const { stdout } = spawnSync("ps", asked, { encoding: "utf8", timeout: longestChangeMs, killSignal: "SIGKILL" });
  return (stdout ?? "").trim().split(/\s+/);
}
