import { constants, type Dirent, type Stats } from "node:fs";
import { lstat, open, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { isPrivate } from "./allowed-path.ts";

export interface WalkLimits {
  /** Directory entries looked at, of any kind. */
  entries: number;
  depth: number;
  /** What is done between two files included. */
  milliseconds: number;
}

const skipped = new Set(["node_modules", "__pycache__", "bower_components"]);
const kernelDirectories = new Set(["/proc", "/sys", "/dev"]);

/**
 * The regular files under a real path (or the path itself, if it is one), sorted within each directory, without hidden and
 * private ones. Links are never followed: their target is found where it really lives, or lies outside. `onLimit` hears when
 * something was left out because of the limits.
 */
export async function* walkFiles(
  start: string,
  limits: WalkLimits,
  signal: AbortSignal,
  onLimit: () => void,
): AsyncGenerator<string> {
  const status: Stats | undefined = await lstat(start).catch(() => undefined);
  if (status?.isFile()) yield start;
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
    const seen = entries.filter(({ name }) => !isPrivate(name) && !skipped.has(name)).toSorted(byName);
    for (const entry of seen) if (entry.isFile()) yield join(path, entry.name);
    const folders = seen.filter((entry) => entry.isDirectory()).toReversed();
    waiting.push(...folders.map((entry) => ({ path: join(path, entry.name), depth: depth + 1 })));
  }
}

/** A directory that cannot be read, or is not where its path says, counts as empty. */
async function readEntries(path: string, most: number): Promise<{ entries: Dirent[]; cut: boolean }> {
  const entries: Dirent[] = [];
  // On Linux the directory is read by what was opened, so that no link put in its place is followed.
  const handle = onLinux
    ? await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => undefined)
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

function byName(a: Dirent, b: Dirent): number {
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}
