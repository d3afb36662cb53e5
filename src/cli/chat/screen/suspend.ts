import process from "node:process";

/** How long the stop may be in coming, in milliseconds. */
const patienceMs = 100;

/**
 * Ctrl-Z in a terminal whose keys come raw: stops the process with its group, as the terminal itself would, and goes on with
 * `resumed` when a shell continues it. Nothing where there are no such signals.
 */
export function suspendProcess({ suspend, resumed }: { suspend(): void; resumed(): void }): void {
  if (process.platform === "win32") return;
  suspend();
  // Where no shell could continue it (the first program of a window or a container), the system drops the signal.
  const timer = setTimeout(goOn, patienceMs);
  process.once("SIGCONT", goOn);
  process.kill(0, "SIGTSTP");

  function goOn(): void {
    clearTimeout(timer);
    process.off("SIGCONT", goOn);
    resumed();
  }
}
