import { accessSync, chmodSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../../kit/create-folder.ts";

/**
 * Makes the file, empty and for its owner alone, if it is not there; takes others' rights to it away if it is. Throws what
 * the file system throws when this process cannot read and write it.
 */
export function ensurePrivateFile(file: string): void {
  createFolder(dirname(file));
  // Never opens a file that is there: closing it would drop the locks that SQLite holds on it in this process.
  if (create(file)) return;
  accessSync(file, constants.R_OK | constants.W_OK);
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function create(file: string): boolean {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}
