import { type FileHandle, lstat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { CurrentFile } from "../../core/questions/review-arguments.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import { findAllowed, isPrivate, resolveRoots } from "../../tools/files/allowed-path.ts";
import type { FileAccess } from "../../tools/files/file-guard.ts";
import { openFound } from "../../tools/files/walk-files.ts";

/** Reads the file that a call names. Undefined where it may not be read, is too large or no text. Never rejects. */
export type ReadCurrent = (path: string) => Promise<CurrentFile | undefined>;

/** Limits a file that is compared, in bytes. */
const mostBytes = 200_000;
const limitMs = 2000;

/**
 * Reads files under the roots of the file tools alone, and none that these would not read either: what is shown beside a question
 * must not be more than the person has allowed to be read.
 */
export function createReadCurrent({ roots, guard }: FileAccess): ReadCurrent {
  return async (path) => {
    // A server may have another working folder than we do.
    if (!isAbsolute(path)) return undefined;
    const limit = createTimeLimit(limitMs, () => timeoutError("a file", limitMs));
    try {
      return await waitAbortable(read(path, roots, guard), limit.signal);
    } catch {
      return undefined;
    } finally {
      limit.clear();
    }
  };
}

async function read(
  path: string,
  given: FileAccess["roots"],
  guard: FileAccess["guard"],
): Promise<CurrentFile | undefined> {
  // A folder on a network may not answer either.
  const roots = await resolveRoots(given);
  const found = await openFound(path, roots, guard);
  if (found === undefined) return describeMissing(path, roots, guard);
  try {
    const bytes = await readStart(found.handle);
    if (bytes.length > mostBytes || bytes.includes(0)) return undefined;
    return { path: found.path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } finally {
    await found.handle.close();
  }
}

/** Reads one byte more than may be compared, for the size that a file reports may be wrong. */
async function readStart(handle: FileHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(mostBytes + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead;
  return bytes.subarray(0, length);
}

/** Says that there is no such file yet only where one would be allowed. */
async function describeMissing(
  path: string,
  roots: readonly string[],
  guard: FileAccess["guard"],
): Promise<CurrentFile | undefined> {
  const wanted = resolve(path);
  const [folder, name] = [await findAllowed(dirname(wanted), roots, guard), basename(wanted)];
  if (folder === undefined || isPrivate(name) || /\p{Cc}/u.test(name)) return undefined;
  const there = await ignoreRejection(lstat(join(folder, name)), "what is not there is a new file");
  return there === undefined ? { path: join(folder, name), text: undefined } : undefined;
}
