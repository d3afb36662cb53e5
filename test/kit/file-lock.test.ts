import { execFileSync } from "node:child_process";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acquireLock } from "../../src/kit/file-lock.ts";
import { temporaryFolder } from "../fakes/program.ts";

const { signal } = new AbortController();

test("a lock is had by one at a time, says whose it is, and leaves no file", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "rules.lock");
  const order: string[] = [];
  const unlock = await acquireLock(file, signal);
  expect(await readFile(file, "utf8")).toBe(String(process.pid));
  const second = acquireLock(file, signal).then((release) => {
    order.push("second has it");
    return release();
  });
  await expect(acquireLock(file, AbortSignal.timeout(120))).rejects.toThrow(/timeout/);
  order.push("first gives it back");
  await unlock();
  await second;
  expect(order).toEqual(["first gives it back", "second has it"]);
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that its process cannot give back any more is taken over: it has ended, or nobody wrote who has it for a minute", async () => {
  const file = join(await temporaryFolder(), "rules.lock");
  await writeFile(file, execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim());
  await (await acquireLock(file, signal))();
  await writeFile(file, "");
  // A lock that is just being written has no number yet.
  await expect(acquireLock(file, AbortSignal.timeout(120))).rejects.toThrow(/timeout/);
  const old = new Date(Date.now() - 61_000);
  await utimes(file, old, old);
  await (await acquireLock(file, signal))();
});
