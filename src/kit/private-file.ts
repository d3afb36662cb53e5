import { type BigIntStats, constants, mkdirSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ignoreRejection } from "./async/ignore-rejection.ts";
import { createRandomHex } from "./random.ts";

/**
 * Writes a file for the user alone: readers see the old one or the new one, never a part. Makes its folder. Gives the new one's
 * state; throws what the file system throws, and what was there before is there still.
 */
export async function writePrivateFile(file: string, text: string): Promise<BigIntStats> {
  createFolder(dirname(file));
  const draft = `${file}.${createRandomHex()}.tmp`;
  try {
    const state = await fill(draft, text);
    await rename(draft, file);
    return state;
  } catch (thrown) {
    await ignoreRejection(
      rm(draft, { force: true }),
      "the error of the write is thrown, and a draft that stays does no harm",
    );
    throw thrown;
  }
}

/**
 * Reads a file of that kind. The text is undefined where it is not a regular file, or larger than `largest` bytes: a pipe in its
 * place holds nobody up. Throws what the file system throws.
 */
export async function readPrivateFile(
  file: string,
  largest: number,
): Promise<{ text: string | undefined; state: BigIntStats }> {
  // Windows has no such flag, and no pipes among its files.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const state = await handle.stat({ bigint: true });
    const isReadable = state.isFile() && state.size <= largest;
    return { text: isReadable ? await handle.readFile("utf8") : undefined, state };
  } finally {
    await handle.close();
  }
}

async function fill(file: string, text: string): Promise<BigIntStats> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    // Without it a power cut may leave an empty file under the right name.
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

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
