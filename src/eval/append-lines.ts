import { appendFile, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { unwritableFileError } from "../config/config-errors.ts";
import { createFolder } from "../kit/private-file.ts";

/** Appends lines to a file for the user alone, one write after the other, so that a process that is killed leaves whole lines. */
export interface LineFile {
  /** Resolves when the lines are on the disk. */
  append(lines: readonly unknown[]): Promise<void>;
}

/** Opens a file for appending. Throws a `config` error where it cannot be written. */
export async function openLineFile(file: string): Promise<LineFile> {
  let last: Promise<void> = Promise.resolve();
  try {
    createFolder(dirname(resolve(file)));
    await removeCutOffLine(file);
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

/** Removes a last line that was not written to its end: the process was killed at that moment, or the disk was full. */
async function removeCutOffLine(file: string): Promise<void> {
  const handle = await open(file, "a+", 0o600);
  try {
    const written = await handle.readFile();
    const end = written.lastIndexOf(0x0a) + 1;
    if (end < written.length) await handle.truncate(end);
  } finally {
    await handle.close();
  }
}
