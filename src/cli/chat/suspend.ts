import process from "node:process";

/**
 * Ctrl-Z in a terminal whose keys come raw: stops the process with its group, as the terminal itself would, and goes on with
 * `resumed` when a shell continues it. Nothing where there are no such signals.
 */
export function suspendProcess({ suspend, resumed }: { suspend(): void; resumed(): void }): void {
  if (process.platform === "win32") return;
  suspend();
  process.once("SIGCONT", resumed);
  process.kill(0, "SIGTSTP");
}
