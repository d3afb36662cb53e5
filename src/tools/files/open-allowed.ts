import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import { findAllowed, isAllowed } from "./allowed-path.ts";

/** A file that may be read; the caller closes it. */
export interface AllowedFile {
  handle: FileHandle;
  /** Its real path. */
  path: string;
}

/** Finds what somebody asked for, as `findAllowed` does, and opens it; undefined for all that is not to be read alike. */
export async function openFound(path: string, roots: readonly string[]): Promise<AllowedFile | undefined> {
  const real = await findAllowed(path, roots);
  const handle = real === undefined ? undefined : await openAllowed(real, roots);
  return real === undefined || handle === undefined ? undefined : { handle, path: real };
}

/**
 * Opens a regular file for reading; the caller closes it. Undefined when it is not one, or is not where `file` said: a link put in
 * its place while we look is not followed. Never waits for a pipe or a device.
 */
export async function openAllowed(file: string, roots: readonly string[]): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  if (await isStillAllowed(handle, file, roots)) return handle;
  await handle.close();
  return undefined;
}

/** Whether what was opened lies under a root. Its path may lead elsewhere from one moment to the next, so Linux is asked for the file's own. */
async function isStillAllowed(handle: FileHandle, file: string, roots: readonly string[]): Promise<boolean> {
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return false;
    const own = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (own !== undefined) return isAllowed(own, roots);
    const real = await realpath(file);
    const there = await stat(real);
    return isAllowed(real, roots) && there.dev === opened.dev && there.ino === opened.ino;
  } catch {
    return false;
  }
}
