import type { DatabaseSync } from "node:sqlite";
import { ensurePrivateFile } from "./ensure-private-file.ts";
import { loadSqlite } from "./load-sqlite.ts";

/**
 * Does the work while no other process opens this store or sets it aside. The lock is SQLite's own, on a file beside
 * the store that stays empty, so it ends with its process. Throws SQLite's "busy" when another one is at it.
 */
export function withOpenLock<T>(file: string, work: () => T): T {
  const gateFile = `${file}-gate`;
  ensurePrivateFile(gateFile);
  const { DatabaseSync } = loadSqlite();
  const gate: DatabaseSync = new DatabaseSync(gateFile, { timeout: 20 });
  try {
    // Without this the lock would leave a journal on disk for a moment.
    gate.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return work();
  } finally {
    // Closing gives the lock back; nothing was written.
    gate.close();
  }
}
