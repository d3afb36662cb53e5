import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock } from "../../src/kit/file-lock.ts";
import { temporaryFolder } from "../fakes/program.ts";

const { signal } = new AbortController();

/** Settles once the lock was found to be another's, with what ends the wait for it. */
async function waitForLock(file: string) {
  const stop = new AbortController();
  const lock = acquireLock(file, stop.signal);
  // Only who waits listens.
  await expect.poll(() => getEventListeners(stop.signal, "abort").length, { interval: 1 }).toBe(1);
  return { lock, stop: () => stop.abort(new Error("stopped")) };
}

async function makeOld(file: string): Promise<void> {
  const old = new Date(Date.now() - 61_000);
  await utimes(file, old, old);
}

function findDeadProcess(): string {
  return execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
}

test("a lock is had by one at a time, says whose it is, and leaves no file", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  const order: string[] = [];
  const unlock = await acquireLock(file, signal);
  expect(await readFile(file, "utf8")).toMatch(new RegExp(`^${process.pid} [0-9a-f]+$`));
  const second = acquireLock(file, signal).then((release) => {
    order.push("second has it");
    return release();
  });
  const third = await waitForLock(file);
  third.stop();
  await expect(third.lock).rejects.toThrow("stopped");
  order.push("first gives it back");
  await unlock();
  await second;
  expect(order).toEqual(["first gives it back", "second has it"]);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that its process cannot give back any more is taken over: it has ended, or nobody wrote who has it for a minute", async () => {
  const file = join(await temporaryFolder(), "rules.lock");
  const dead = findDeadProcess();
  for (const left of [dead, `${dead} 0123abcd`]) {
    await writeFile(file, left);
    await (await acquireLock(file, signal))();
  }
  await writeFile(file, "");
  // A lock that is just being written has no number yet.
  const { lock, stop } = await waitForLock(file);
  stop();
  await expect(lock).rejects.toThrow("stopped");
  await makeOld(file);
  await (await acquireLock(file, signal))();
});

test("of many that find an abandoned lock at the same time one at a time has it", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  const dead = findDeadProcess();
  let inside = 0;
  let most = 0;
  async function work(): Promise<void> {
    const unlock = await acquireLock(file, signal);
    most = Math.max(most, ++inside);
    // What the others do now, they do while it is had.
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    inside -= 1;
    await unlock();
  }
  for (let round = 0; round < 5; round++) {
    await writeFile(file, `${dead} ${round}`);
    await Promise.all(Array.from({ length: 4 }, work));
  }
  expect(most).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test("who gives back a lock that was taken over meanwhile leaves it to its new holder", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  const unlockSlow = await acquireLock(file, signal);
  await makeOld(file);
  const unlock = await acquireLock(file, signal);
  await unlockSlow();
  const { lock, stop } = await waitForLock(file);
  stop();
  await expect(lock).rejects.toThrow("stopped");
  await unlock();
  expect(await readdir(folder)).toEqual([]);
});

test("a process that ended while it removed a lock keeps nobody from it for longer than a minute", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  await writeFile(file, `${findDeadProcess()} 0123abcd`);
  await writeFile(`${file}.0123abcd`, "");
  await makeOld(`${file}.0123abcd`);
  await (await acquireLock(file, signal))();
  expect(await readdir(folder)).toEqual([]);
});
