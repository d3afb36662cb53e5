import { readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** Limits how much of a file of Git's is read as a line, in characters. */
const longestLine = 4096;

/**
 * Returns the branch of the Git work tree that holds the folder, the beginning of the commit where none is checked out, and undefined
 * outside a work tree. Reads `.git/HEAD`; Git itself is not started. Never rejects.
 */
export async function readGitBranch(folder: string): Promise<string | undefined> {
  for (let place = resolve(folder); ; place = dirname(place)) {
    const head = await readHead(join(place, ".git"));
    if (head !== undefined) return toBranchName(head);
    if (place === dirname(place)) return undefined;
  }
}

/** `.git` is a folder, or in a further work tree and a submodule a file that names one (gitrepository-layout(5)). */
async function readHead(git: string): Promise<string | undefined> {
  const found = await stat(git).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return readLine(join(git, "HEAD"));
  const named = /^gitdir: (.+)$/.exec((await readLine(git)) ?? "")?.[1];
  if (named === undefined) return undefined;
  return readLine(join(isAbsolute(named) ? named : join(dirname(git), named), "HEAD"));
}

async function readLine(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text?.slice(0, longestLine).split("\n", 1)[0]?.trim();
}

function toBranchName(head: string): string | undefined {
  const name = /^ref: (?:refs\/heads\/)?(.+)$/.exec(head)?.[1];
  return name ?? (/^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined);
}
