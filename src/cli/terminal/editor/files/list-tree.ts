import type { Dirent } from "node:fs";
import { opendir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import { findWorkTree, listFoldersAbove } from "../../../../kit/work-tree.ts";

export interface TreeLimits {
  /** Limits the names that are looked at. */
  entries: number;
  depth: number;
  milliseconds: number;
}

/** Holds the rules of one `.gitignore`, whose paths are relative to its folder. */
interface IgnoreFile {
  folder: string;
  rules: Ignore;
}

/** Folders of these names are not looked into, whether or not a `.gitignore` names them. */
const skipped = new Set(["node_modules", "__pycache__"]);

/** Limits a `.gitignore`, in bytes, and the folders above that are searched for one. */
const largestIgnoreFile = 200_000;
const mostAbove = 30;

/**
 * Lists the files and folders below a folder, breadth first, as paths relative to it; folders end with `/`. Hidden names, and what
 * git ignores, are left out; links are not followed. `onPath` receives each path as it is found; it returns false where no more
 * are wanted. Returns false where the limits left something out. Never rejects.
 */
export async function listTree(root: string, limits: TreeLimits, onPath: (path: string) => boolean): Promise<boolean> {
  const deadline = performance.now() + limits.milliseconds;
  const waiting = [{ folder: root, depth: 0, ignored: await findIgnoreFilesAbove(root) }];
  let left = limits.entries;
  let isWhole = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { folder, depth } = next;
    const own = await readIgnoreFile(folder);
    const ignored = own === undefined ? next.ignored : [...next.ignored, own];
    for (const entry of await readFolder(folder, left + 1)) {
      if (left-- <= 0 || performance.now() > deadline) return false;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (!isListed(entry) || isIgnored(path, isFolder, ignored)) continue;
      if (!onPath(`${relative(root, path).split(sep).join("/")}${isFolder ? "/" : ""}`)) return false;
      if (!isFolder || skipped.has(entry.name)) continue;
      if (depth < limits.depth) waiting.push({ folder: path, depth: depth + 1, ignored });
      else isWhole = false;
    }
  }
  return isWhole;
}

function isListed(entry: Dirent): boolean {
  return (entry.isFile() || entry.isDirectory()) && !entry.name.startsWith(".") && !/[\p{Cc}\p{Cf}]/u.test(entry.name);
}

async function readFolder(folder: string, most: number): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      entries.push(entry);
      if (entries.length >= most) break;
    }
  } catch {
    // What cannot be read has nothing to offer.
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The rules of a deeper folder win over those above, as git has it. */
function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  let result = false;
  for (const { folder, rules } of files) {
    const below = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
    if (ignored) result = true;
    if (unignored) result = false;
  }
  return result;
}

async function readIgnoreFile(folder: string): Promise<IgnoreFile | undefined> {
  const file = join(folder, ".gitignore");
  const state = await ignoreRejection(stat(file), "without the file nothing is ignored");
  if (!state?.isFile() || state.size > largestIgnoreFile) return undefined;
  const text = await ignoreRejection(readFile(file, "utf8"), "a file that cannot be read ignores nothing");
  return text === undefined ? undefined : { folder, rules: ignore({ allowRelativePaths: false }).add(text) };
}

/** Finds the rules of the folders above, up to the root of the work tree; the topmost come first. */
async function findIgnoreFilesAbove(root: string): Promise<IgnoreFile[]> {
  const top = await findWorkTree(root);
  if (top === undefined) return [];
  const above = listFoldersAbove(root, top).slice(1, mostAbove + 1);
  const files = await Promise.all(above.map(readIgnoreFile));
  return files.filter((file) => file !== undefined).reverse();
}
