import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { readText } from "../../../config/sources/find-file.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { listFoldersAbove } from "../../../kit/work-tree.ts";

/** Limits the line of a file of Git's, in characters. */
const longestLine = 4096;

/**
 * Returns the branch of the Git work tree that holds the folder, the beginning of the commit where none is checked out, and undefined
 * outside a work tree. Reads `.git/HEAD`; Git itself is not started. Never rejects.
 */
export async function readGitBranch(folder: string): Promise<string | undefined> {
  // A `.git` that is no repository is passed over, as Git does.
  for (const place of listFoldersAbove(folder)) {
    const head = await readHead(join(place, ".git"));
    if (head !== undefined) return toBranchName(head);
  }
  return undefined;
}

/** `.git` is a folder, or in a further work tree and a submodule a file that names one (gitrepository-layout(5)). */
async function readHead(git: string): Promise<string | undefined> {
  const found = await ignoreRejection(stat(git), "a folder without it is in no work tree, or in one of a folder above");
  if (found === undefined) return undefined;
  if (found.isDirectory()) return readLine(join(git, "HEAD"));
  const named = /^gitdir: (.+)$/.exec((await readLine(git)) ?? "")?.[1];
  if (named === undefined) return undefined;
  return readLine(join(isAbsolute(named) ? named : join(dirname(git), named), "HEAD"));
}

async function readLine(file: string): Promise<string | undefined> {
  // It waits for no pipe in the file's place.
  const text = await ignoreRejection(readText(file, file), "a branch that cannot be read is not shown");
  return text?.slice(0, longestLine).split("\n", 1)[0]?.trim();
}

function toBranchName(head: string): string | undefined {
  const name = /^ref: (?:refs\/heads\/)?(.+)$/.exec(head)?.[1];
  return name ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined);
}
