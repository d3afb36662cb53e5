import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { createRandomHex } from "../../../kit/random.ts";
import { isBusy } from "../../errors/sqlite-code.ts";
import { ensurePrivateFile, loadSqlite } from "../connection.ts";

/** Is held by a process for as long as it lives, so that others can see that it does. */
export interface ProcessLock {
  /** Names this process: its ID, when it started, and eight random digits. */
  readonly holder: string;
  release(): void;
}

/**
 * Creates a file beside the store and locks it. The lock is SQLite's own, and the system ends it with the process, however that
 * ends. The file stays empty.
 */
export function lockForProcess(storeFile: string): ProcessLock {
  const startedAt = Math.round(performance.timeOrigin);
  const holder = `${process.pid}-${startedAt}-${createRandomHex().slice(0, 8)}`;
  const file = toLockFile(storeFile, holder);
  ensurePrivateFile(file);
  const { DatabaseSync } = loadSqlite();
  const lock: DatabaseSync = new DatabaseSync(file, { timeout: lockTimeoutMs });
  lock.exec(takeLock);
  // An object that nothing refers to any more is closed, and with it the lock would end before the process.
  const referring = setInterval(() => lock.isOpen, longestTimerMs).unref();
  return {
    holder,
    release() {
      clearInterval(referring);
      if (!lock.isOpen) return;
      lock.close();
      rmSync(file, { force: true });
    },
  };
}

const lockTimeoutMs = 20;

/** Timers accept no more, in milliseconds. */
const longestTimerMs = 2_147_483_647;

// Without this the lock would leave a journal on disk for a moment.
const takeLock = "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE";

/**
 * Returns true while the process lives. The lock file of one that is gone is removed. Of two processes that ask at the same moment
 * one may be told that a dead process lives.
 */
export function isHolderAlive(storeFile: string, holder: string): boolean {
  const file = toLockFile(storeFile, holder);
  if (!existsSync(file)) return false;
  const address = pathToFileURL(file);
  // A file that another process has just removed must not come back.
  address.searchParams.set("mode", "rw");
  const { DatabaseSync } = loadSqlite();
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(address, { timeout: lockTimeoutMs });
    lock.exec(takeLock);
  } catch (thrown) {
    lock?.close();
    // Whoever cannot find out must not take the run of a process that lives.
    return isBusy(thrown) || existsSync(file);
  }
  lock.close();
  rmSync(file, { force: true });
  return false;
}

function toLockFile(storeFile: string, holder: string): string {
  return join(dirname(storeFile), `${basename(storeFile)}-process-${holder.replaceAll(/[^0-9a-z-]/g, "")}`);
}
