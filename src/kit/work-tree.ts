import { access } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * Returns the root of the Git work tree that holds a folder: the folder itself or the first above it that has a `.git`. Looks no higher
 * than `last`. Returns undefined outside of work trees.
 */
export async function findWorkTree(folder: string, last?: string): Promise<string | undefined> {
  for (const place of listFoldersAbove(folder, last)) if (await hasGit(place)) return place;
  return undefined;
}

/** Lists a folder and those above it, up to `last` or the root of the file system. */
export function listFoldersAbove(folder: string, last?: string): string[] {
  const folders = [resolve(folder)];
  for (let place = resolve(folder); place !== last && place !== dirname(place); ) {
    place = dirname(place);
    folders.push(place);
  }
  return folders;
}

/** It is a folder, or in a further work tree and a submodule a file (gitrepository-layout(5)). */
function hasGit(folder: string): Promise<boolean> {
  return access(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}
