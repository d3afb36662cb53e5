import type { BigIntStats } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { sleep } from "./async/timeout.ts";
import { getMessage } from "./errors.ts";
import { readPrivateFile } from "./private-file.ts";
import { isRunning } from "./process/is-running.ts";
import { createRandomHex } from "./random.ts";

/** A lock older than this, in milliseconds, is abandoned; work under a lock takes less time. */
const oldestLockMs = 60_000;

/** Limits a lock file, in bytes; it holds only a process id and random digits. */
const largestLock = 100;

const pauseMs = 50;

/**
 * Takes a lock that other processes see, and waits while one of them has it; gives what gives it back. Rejects with the
 * signal's reason, or with what the file system says.
 */
export async function acquireLock(file: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const name = createRandomHex();
  for (;;) {
    signal.throwIfAborted();
    if (await create(file, name)) return async () => void (await remove(file, name));
    const found = await read(file);
    const isFree = found?.isAbandoned === true && (await remove(file, found.name));
    if (!isFree) await sleep(pauseMs, signal);
  }
}

async function create(file: string, name: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    await handle.writeFile(`${process.pid} ${name}`);
    await handle.close();
    return true;
  } catch (thrown) {
    if (getErrorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/**
 * Removes the lock of this name, and no other. Several processes may have found the same abandoned lock, and the slower ones must not
 * remove what the first has put in its place: whoever creates a file for this removal looks once more and removes it, the others leave it.
 * Returns whether the lock is gone.
 */
async function remove(file: string, name: string): Promise<boolean> {
  const removal = `${file}.${name}`;
  if (!(await create(removal, name))) {
    await dropOldRemoval(removal);
    return false;
  }
  try {
    if ((await read(file))?.name !== name) return false;
    await rm(file, { force: true });
    return true;
  } finally {
    await rm(removal, { force: true });
  }
}

/** A process that ends while it removes a lock leaves the file for it behind, which would keep the lock for ever. */
async function dropOldRemoval(removal: string): Promise<void> {
  const state = await ignoreMissing(stat(removal, { bigint: true }));
  if (state && isOld(state)) await rm(removal, { force: true });
}

/** A lock without a name of its own, which is just being written or of an earlier version, is named by its file. */
async function read(file: string): Promise<{ name: string; isAbandoned: boolean } | undefined> {
  const found = await ignoreMissing(readPrivateFile(file, largestLock));
  // It was given back just now.
  if (found === undefined) return undefined;
  const { text = "", state } = found;
  const [, holder, name = `${state.ino}-${state.mtimeNs}`] = /^(\d+)(?: ([0-9a-f]+))?$/.exec(text) ?? [];
  return { name, isAbandoned: isOld(state) || (holder !== undefined && !isRunning(Number(holder))) };
}

function isOld({ mtimeMs }: BigIntStats): boolean {
  return Date.now() - Number(mtimeMs) > oldestLockMs;
}

async function ignoreMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (getErrorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
}
