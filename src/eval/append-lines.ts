import { appendFile, type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { unwritableFileError } from "../config/config-errors.ts";
import { createFolder } from "../kit/private-file.ts";

/** Appends lines to a file for the user alone, one write after the other, so that a process that is killed leaves whole lines. */
export interface LineFile {
  /** Resolves when the lines are on the disk. */
  append(lines: readonly unknown[]): Promise<void>;
}

/**
 * Opens a file for appending. A last line that was not written to its end is removed: the process was killed at that moment, and
 * behind it every other line would be read as part of it. Throws a `config` error where the file cannot be written.
 */
export async function openLineFile(file: string): Promise<LineFile> {
  let last: Promise<void> = Promise.resolve();
  try {
    createFolder(dirname(resolve(file)));
    await removeCutOff(file);
  } catch (thrown) {
    throw unwritableFileError(file, thrown);
  }
  return {
    append(lines) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      last = last.then(() => appendFile(file, text, { mode: 0o600, flush: true }));
      return last.catch((thrown: unknown) => {
        throw unwritableFileError(file, thrown);
      });
    },
  };
}

async function removeCutOff(file: string): Promise<void> {
  const handle = await open(file, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    const end = await findEnd(handle, size);
    if (end < size) await handle.truncate(end);
  } finally {
    await handle.close();
  }
}

const pieceBytes = 64 * 1024;

/** Returns where the last whole line ends, in bytes. */
async function findEnd(handle: FileHandle, size: number): Promise<number> {
  for (let to = size; to > 0; to -= pieceBytes) {
    const from = Math.max(0, to - pieceBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return from + at + 1;
  }
  return 0;
}
