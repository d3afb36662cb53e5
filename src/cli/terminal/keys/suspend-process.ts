import process from "node:process";

/** Limits the wait for the stop to take effect, in milliseconds. */
const patienceMs = 100;

/**
 * Handles Ctrl-Z in a terminal in raw mode: stops the process with its group, as the terminal itself would, and calls `resume`
 * when a shell continues it. Does nothing where there are no such signals.
 */
export function suspendProcess({ suspend, resume }: { suspend(): void; resume(): void }): void {
  if (process.platform === "win32") return;
  suspend();
  // Where no shell could continue it (the first program of a window or a container), the system drops the signal.
  const timer = setTimeout(continueProcess, patienceMs);
  process.once("SIGCONT", continueProcess);
  process.kill(0, "SIGTSTP");

  function continueProcess(): void {
    clearTimeout(timer);
    process.off("SIGCONT", continueProcess);
    resume();
  }
}
