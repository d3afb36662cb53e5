import { closeSync, openSync, readSync } from "node:fs";
import { newerSchemaError } from "../errors/usage-errors.ts";
import { schemaVersion } from "./schema.ts";

/**
 * Throws a `config` error for a store that a newer Duet wrote. Reads the header of the file alone and changes nothing; a file that
 * is not there or cannot be read is left to whoever opens it. Must not run while this process has the store open: closing the
 * file would drop the locks that SQLite holds on it.
 */
export function checkStoreVersion(file: string): void {
  const version = readVersion(file);
  if (version > schemaVersion) throw newerSchemaError(version, file, schemaVersion);
}

/** SQLite's header begins with these words, and `user_version` is at byte 60 (https://www.sqlite.org/fileformat.html). */
const magic = "SQLite format 3\0";
const versionAt = 60;

/** Returns 0 when there is no database. */
function readVersion(file: string): number {
  const header = Buffer.alloc(100);
  let handle: number | undefined;
  try {
    handle = openSync(file, "r");
    if (readSync(handle, header) < header.length) return 0;
  } catch {
    return 0;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
  return header.toString("latin1", 0, magic.length) === magic ? header.readUInt32BE(versionAt) : 0;
}
