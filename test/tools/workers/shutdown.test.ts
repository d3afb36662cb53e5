import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, processes, workersOf } from "./processes.ts";

// The program handles no signal, so that one that it could handle stands for all of them.
test.each(["SIGKILL", "SIGTERM"] as const)(
  "when %s ends us in the middle of endless work, no process is left",
  async (signal) => {
    const program = spawn(process.execPath, [join(import.meta.dirname, "work-program.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void program.kill("SIGKILL"));
    await once(program.stdout, "data");
    const { pid = 0 } = program;
    await expect.poll(() => workersOf(pid).length).toBe(2);
    const started = processes().filter(({ parent }) => parent === pid);
    // Long enough for the pages to be under way: from then on they hear nothing.
    await sleep(1000);
    program.kill(signal);
    await once(program, "exit");
    await expect.poll(() => started.filter((row) => isAlive(row.pid))).toEqual([]);
  },
);
