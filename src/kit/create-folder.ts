import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder, and those above it that are missing, for the user alone; does nothing where it exists. Throws what the file
 * system throws. Node's own `recursive` never returns under `/proc`, where a parent exists and yet nothing can be created in it.
 */
export function createFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, mode);
  } catch (thrown) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    if (!hasCode(thrown, "ENOENT") || parent === path) throw thrown;
    createFolder(parent, mode);
    createInside(path, mode);
  }
}

/** The parent exists now, so a second `ENOENT` is final. */
function createInside(path: string, mode: number): void {
  try {
    mkdirSync(path, mode);
  } catch (thrown) {
    // Another process may have been faster.
    if (!isFolder(path)) throw thrown;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}
