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
    if (await isCutOff(file)) await appendFile(file, "\n");
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

/** Returns true where the last line was not written to its end: the process was killed at that moment. */
async function isCutOff(file: string): Promise<boolean> {
  const handle = await open(file, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    if (size === 0) return false;
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== 0x0a;
  } finally {
    await handle.close();
  }
}
