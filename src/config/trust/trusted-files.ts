import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { isRecord } from "../../kit/json.ts";
import { readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import { findWorkTree } from "../../kit/work-tree.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getHomeDirectory, getTrustedFile } from "../sources/find-file.ts";

/** Records a file that a person has seen and trusted. The same content at another path is another file. */
interface TrustedFile {
  file: string;
  /** Holds the SHA-256 of the file's text, in hexadecimal. */
  digest: string;
}

/**
 * Names a list in `trusted.json`: configurations, instructions of folders, commands of folders, and the first two where a person does not
 * want them. Tools may read what is in all but the first: not a configuration that is in use.
 */
const trustLists = ["files", "instructions", "commands", "declined"] as const;
type TrustList = (typeof trustLists)[number];

/** Limits each list to the files trusted last. */
const mostRemembered = 500;

/** Limits the list in bytes. The maximum number of entries with the longest paths fits. */
const largestList = 16_000_000;

/**
 * Returns true when the directory or one above it, up to the user's home, has a `.git`. Files there may come from somebody
 * else's repository.
 */
export async function isInWorkTree(directory: string, environment: Environment): Promise<boolean> {
  return (await findWorkTree(directory, resolve(getHomeDirectory(environment)))) !== undefined;
}

/** Reads a list from `trusted.json` in the state directory. A file that cannot be read counts as an empty list. */
export async function readTrusted(home: string, list: TrustList = "files"): Promise<readonly TrustedFile[]> {
  return (await readLists(home))[list] ?? [];
}

/** Reads the files for which somebody has said no, from the same place. */
export function readDeclined(home: string): Promise<readonly TrustedFile[]> {
  return readTrusted(home, "declined");
}

async function readLists(home: string): Promise<Partial<Record<TrustList, readonly TrustedFile[]>>> {
  try {
    const { text = "" } = await readPrivateFile(getTrustedFile(home), largestList);
    const read: unknown = JSON.parse(text);
    const getList = (list: TrustList): readonly TrustedFile[] => {
      const files = isRecord(read) ? read[list] : undefined;
      return Array.isArray(files) ? files.filter(isTrustedFile) : [];
    };
    return Object.fromEntries(trustLists.map((list) => [list, getList(list)]));
  } catch {
    return {};
  }
}

export function isTrusted(trusted: readonly TrustedFile[], file: string, text: string): boolean {
  const digest = hashText(text);
  return trusted.some((each) => each.file === file && each.digest === digest);
}

/** Remembers these files with exactly these texts; others cannot read what is remembered. Throws what the file system throws. */
export async function trustFiles(
  files: readonly { file: string; text: string }[],
  home: string,
  list: TrustList = "files",
): Promise<void> {
  const news = files.map(({ file, text }) => ({ file, digest: hashText(text) }));
  const isNew = (one: TrustedFile): boolean =>
    news.some(({ file, digest }) => one.file === file && one.digest === digest);
  const lists = await readLists(home);
  const known = (lists[list] ?? []).filter((one) => !isNew(one));
  const all = { files: lists.files ?? [], ...lists, [list]: [...known, ...news].slice(-mostRemembered) };
  const kept = Object.fromEntries(Object.entries(all).filter(([name, some]) => name === "files" || some.length > 0));
  await writePrivateFile(getTrustedFile(home), `${JSON.stringify(kept, undefined, 2)}\n`);
}

/** Remembers that these files with exactly these texts are not to be trusted, so that nobody is asked again. */
export async function refuseFiles(files: readonly { file: string; text: string }[], home: string): Promise<void> {
  await trustFiles(files, home, "declined");
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isTrustedFile(value: unknown): value is TrustedFile {
  return isRecord(value) && typeof value.file === "string" && typeof value.digest === "string";
}
