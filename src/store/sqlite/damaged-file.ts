import { existsSync, renameSync, statSync } from "node:fs";

/** The database, its log, the log's index, and the journal of its first moments. */
const parts = ["", "-wal", "-shm", "-journal"];

/**
 * Renames a store with all its parts to `FILE.damaged-TIME` (UTC), never over a file that is there; gives the name.
 * Only behind the gate.
 */
export function moveDamagedFile(file: string): string {
  const time = new Date().toISOString().replace(/\.\d+/, "").replaceAll(/[-:]/g, "");
  const wanted = `${file}.damaged-${time}`;
  let name = wanted;
  for (let again = 2; parts.some((part) => existsSync(name + part)); again++) name = `${wanted}-${again}`;
  for (const part of parts) if (existsSync(file + part)) renameSync(file + part, name + part);
  return name;
}

/** Whether there is a log without its database: SQLite would delete it. */
export function isLogAlone(file: string): boolean {
  return sizeOf(file) === 0 && sizeOf(`${file}-wal`) > 0;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Which file stands under this name; undefined when there is none. */
export function getFileIdentity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
