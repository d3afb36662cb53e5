import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { acquireLock } from "../../src/kit/file-lock.ts";
import { temporaryFolder } from "../fakes/program.ts";

const { signal } = new AbortController();

/** Settles once the lock was found to be another's, with what ends the wait for it. */
async function waitForLock(file: string) {
  const stop = new AbortController();
  const lock = acquireLock(file, stop.signal);
  const given = lock.then(() => Promise.reject(new Error("The lock was given.")));
  // Only who waits listens.
  await Promise.race([
    expect.poll(() => getEventListeners(stop.signal, "abort").length, { interval: 1 }).toBe(1),
    given,
  ]);
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

test("who finds a lock abandoned that another process takes over first leaves it to that one", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  await writeFile(file, "99999999");
  const fresh = `${process.pid} 0123abcd`;
  // The other process is faster by the moment in which this one looks whether the holder still runs.
  vi.spyOn(process, "kill").mockImplementationOnce(() => {
    rmSync(file);
    writeFileSync(file, fresh);
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { lock } = await waitForLock(file);
  expect(await readFile(file, "utf8")).toBe(fresh);
  await rm(file);
  await (await lock)();
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that another process removes just now is waited for, and no longer than a minute if that process has ended", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  await writeFile(file, "99999999 0123abcd");
  const removal = `${file}.0123abcd`;
  await writeFile(removal, "");
  const { lock } = await waitForLock(file);
  await makeOld(removal);
  await (await lock)();
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
