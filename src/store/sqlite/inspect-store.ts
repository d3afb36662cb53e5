import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { createRandomHex } from "../../kit/random.ts";
import { WrongTablesError } from "../errors/sqlite-code.ts";
import { toStoreError } from "../errors/store-error.ts";
import { isLogAlone, loadSqlite } from "./connection.ts";
import { inspectSchema } from "./schema.ts";

/**
 * Finds out whether a store can be read and written, and changes nothing of it: a file that is not there is not made, and a damaged one
 * stays where it is. Throws a `DuetError` where the store cannot be used.
 */
export function inspectStore(file: string): void {
  try {
    if (isLogAlone(file)) throw new WrongTablesError("the log has no database");
    if (existsSync(file)) inspectFile(file);
    writeBeside(file);
  } catch (thrown) {
    throw toStoreError(thrown, file);
  }
}

/** Reads through SQLite alone, which keeps the locks that this process may hold on the file. */
function inspectFile(file: string): void {
  const connection = openReadOnly(file);
  try {
    inspectSchema(connection);
    accessSync(file, constants.R_OK | constants.W_OK);
  } finally {
    connection.close();
  }
}

/** Opens a store that is only read. Nothing is written, not even where the folder cannot be. */
export function openReadOnly(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const address = pathToFileURL(file);
  // SQLite would create the log's index otherwise, which a folder that cannot be written does not allow.
  if (!existsSync(`${file}-wal`)) address.searchParams.set("immutable", "1");
  return new DatabaseSync(address, { readOnly: true });
}

/** Is what is written beside the store: as much as the smallest change of it. */
const probeBytes = 4_096;

/**
 * Writes a small file in the folder of the store, or in the one where that would be made, and removes it: what the disk says of that, it
 * would say of the store.
 */
function writeBeside(file: string): void {
  const probe = join(findFolder(dirname(file)), `${basename(file)}.${createRandomHex()}.tmp`);
  const handle = openSync(probe, "wx", 0o600);
  try {
    writeSync(handle, new Uint8Array(probeBytes));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
    rmSync(probe, { force: true });
  }
}

/** Returns the folder, or the next one above it that is there. */
function findFolder(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : findFolder(parent);
}
