import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { linux, requires } from "../../runner/requirements.ts";

/** Starts a process that holds another one with a lifeline, and says both its own number and the other's. */
async function startHolder(): Promise<{ holder: ChildProcess; held: number }> {
  const script = `
    import { spawn } from "node:child_process";
    import { createLifeline } from "./src/kit/process/lifeline.ts";
    const lifeline = createLifeline(process.env.PATH);
    lifeline.watch();
    const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" });
    lifeline.hold(pid);
    console.log(pid);
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  const [said] = await new Promise<Buffer[]>((resolve) => holder.stdout?.once("data", (...data) => resolve(data)));
  const held = Number(said);
  onTestFinished(() => {
    if (isAlive(held)) process.kill(held, "SIGKILL");
  });
  return { holder, held };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the shells among a process's children that ignore the signals of a terminal. */
async function findWatchers(parent: number | undefined): Promise<number[]> {
  const children = (await readFile(`/proc/${parent}/task/${parent}/children`, "utf8")).trim().split(" ").map(Number);
  const commands = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return children.filter((_, index) => commands[index]?.includes("trap ''"));
}

test("a watcher that is killed is replaced, so that nothing outlives us", requires(linux), async () => {
  const { holder, held } = await startHolder();
  const [first = 0] = await findWatchers(holder.pid);
  // One that has just begun is not replaced when it ends.
  await setTimeout(300);
  process.kill(first, "SIGKILL");
  await expect.poll(async () => (await findWatchers(holder.pid)).filter((pid) => pid !== first)).toHaveLength(1);
  holder.kill("SIGKILL");
  await expect.poll(() => isAlive(held)).toBe(false);
});
