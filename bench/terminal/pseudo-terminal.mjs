import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../dist/duet.js", import.meta.url));

/** Node with these arguments in a pseudo terminal of 200 x 50 cells. */
export function inTerminal(args, env, cwd) {
  const words = [process.execPath, ...args].map((word) => `'${word}'`).join(" ");
  const began = performance.now();
  const child = spawn("script", ["-qec", `stty cols 200 rows 50; echo "pid $$"; exec ${words}`, "/dev/null"], {
    env,
    cwd,
  });
  let text = "";
  const waiting = new Set();
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
    for (const check of waiting) check();
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    began,
    ended,
    type: (keys) => child.stdin.write(keys),
    kill: () => child.kill("SIGKILL"),
    text: () => text,
    /** Gives when it was shown. */
    shows(pattern) {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text)) return;
          waiting.delete(check);
          resolve(performance.now());
        };
        waiting.add(check);
        ended.then(() => reject(new Error(`ended without ${pattern}: ${JSON.stringify(text.slice(-500))}`)));
        check();
      });
    },
    cpuMs: () => cpuOf(Number(/pid (\d+)/.exec(text)?.[1])),
  };
}

/** Milliseconds of CPU, user and system, that a process has used; Linux counts hundredths of a second. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
