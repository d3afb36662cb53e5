// Starts processes in groups of their own, so that nothing that they started outlives them or the runner.
import { spawn } from "node:child_process";

/** The children that run now, which end with the runner. */
const running = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.on("exit", () => running.forEach(endGroup));

/** Starts a child; `exited` resolves when it has ended or could not be started. */
export function startProcess(command, args, options) {
  const child = spawn(command, args, { ...options, detached: true });
  running.add(child);
  const exited = new Promise((done) => {
    const finish = () => {
      running.delete(child);
      done();
    };
    child.on("exit", finish);
    child.on("error", finish);
  });
  return { child, exited };
}

/** Ends a child and what it left behind. */
export function endGroup({ pid }) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}
