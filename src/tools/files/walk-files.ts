import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, open, opendir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { findAllowed, isAllowed, isPrivate } from "./allowed-path.ts";
import type { FileAccess, FileGuard } from "./file-guard.ts";

export interface WalkLimits {
  /** Limits the directory entries visited, of any kind. */
  entries: number;
  depth: number;
  /** Includes the time that the caller spends between two files. */
  milliseconds: number;
}

const skipped = new Set(["node_modules", "__pycache__", "bower_components"]);
const kernelDirectories = new Set(["/proc", "/sys", "/dev"]);

/**
 * Yields the regular files under a real path, or the path itself if it is a file. They are sorted within each directory, without
 * hidden and private files. Links are never followed: their target is found at its real location or lies outside. `onLimit` runs
 * when the limits left something out.
 */
export async function* walkFiles(
  start: string,
  limits: WalkLimits,
  signal: AbortSignal,
  onLimit: () => void,
  guard?: FileGuard,
): AsyncGenerator<string> {
  const status: Stats | undefined = await ignoreRejection(lstat(start), "a path that cannot be read holds no files");
  const isProtected = await guard?.findProtected();
  if (status?.isFile() && !isProtected?.(start)) yield start;
  if (!status?.isDirectory()) return;
  const deadline = performance.now() + limits.milliseconds;
  let entriesLeft = limits.entries;
  const waiting = [{ path: start, depth: 0 }];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    signal.throwIfAborted();
    const { path, depth } = directory;
    if (kernelDirectories.has(path)) continue;
    if (depth > limits.depth || entriesLeft <= 0 || performance.now() > deadline) {
      onLimit();
      continue;
    }
    const { entries, cut } = await readEntries(path, entriesLeft);
    if (cut) onLimit();
    entriesLeft -= entries.length;
    const isShown = ({ name }: Dirent): boolean =>
      !isPrivate(name) && !skipped.has(name) && !isProtected?.(join(path, name));
    const seen = entries.filter(isShown).toSorted(compareNames);
    for (const entry of seen) if (entry.isFile()) yield join(path, entry.name);
    const folders = seen.filter((entry) => entry.isDirectory()).toReversed();
    waiting.push(...folders.map((entry) => ({ path: join(path, entry.name), depth: depth + 1 })));
  }
}

/** A directory that cannot be read, or is not where its path says, counts as empty. */
export async function readEntries(path: string, most: number): Promise<{ entries: Dirent[]; cut: boolean }> {
  const entries: Dirent[] = [];
  // On Linux the directory is read by what was opened, so that no link put in its place is followed.
  const handle = onLinux
    ? await ignoreRejection(
        open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW),
        "a folder that cannot be opened is left out",
      )
    : undefined;
  try {
    const own = handle && `/proc/self/fd/${handle.fd}`;
    if (onLinux && (own === undefined || (await readlink(own)) !== path)) return { entries, cut: false };
    for await (const entry of await opendir(own ?? path, { bufferSize: 256 })) {
      if (entries.length >= most) return { entries, cut: true };
      entries.push(entry);
    }
  } catch {
    // Gone or forbidden.
  } finally {
    await handle?.close();
  }
  return { entries, cut: false };
}

const onLinux = process.platform === "linux";

function compareNames(a: Dirent, b: Dirent): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/** Represents an open file that may be read. The caller closes it. */
export interface AllowedFile {
  handle: FileHandle;
  /** Is the real path of the file. */
  path: string;
}

/** Finds what somebody asked for, as `findAllowed` does, and opens it; undefined for all that is not to be read alike. */
export async function openFound(
  path: string,
  roots: readonly string[],
  guard?: FileGuard,
): Promise<AllowedFile | undefined> {
  const real = await findAllowed(path, roots, guard);
  const handle = real === undefined ? undefined : await openAllowed(real, roots, guard);
  return real === undefined || handle === undefined ? undefined : { handle, path: real };
}

/**
 * Opens a regular file for reading; the caller closes it. Undefined when it is not one, or is not where `file` said: a link put in
 * its place while we look is not followed. Never waits for a pipe or a device.
 */
export async function openAllowed(
  file: string,
  roots: readonly string[],
  guard?: FileGuard,
  isRefused?: (name: string) => boolean,
): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await ignoreRejection(open(file, flags), "a file that cannot be opened is left out");
  if (handle === undefined) return undefined;
  if (await isStillAllowed(handle, file, { roots, guard, isRefused })) return handle;
  await handle.close();
  return undefined;
}

/**
 * Returns true when the opened file lies under a root. Its path may change its target at any moment, so on Linux the path of the
 * open file is used.
 */
export async function isStillAllowed(
  handle: FileHandle,
  file: string,
  { roots, guard, isRefused }: FileAccess & { isRefused?: ((name: string) => boolean) | undefined },
): Promise<boolean> {
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) return false;
    if (await guard?.isLinked(opened)) return false;
    const isProtected = await guard?.findProtected();
    const own = await ignoreRejection(
      readlink(`/proc/self/fd/${handle.fd}`),
      "without /proc the path itself is checked",
    );
    if (own !== undefined) return isAllowed(own, roots, isRefused) && !isProtected?.(own);
    const real = await realpath(file);
    const there = await stat(real);
    return (
      isAllowed(real, roots, isRefused) && !isProtected?.(real) && there.dev === opened.dev && there.ino === opened.ino
    );
  } catch {
    return false;
  }
}
