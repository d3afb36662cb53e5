import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "../../kit/json.ts";
import { readPrivateFile, writePrivateFile } from "../../kit/private-file.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getHomeDirectory, getTrustedFile, isExistingFile } from "../sources/find-file.ts";

/** Records a file that a person has seen and trusted. The same content at another path is another file. */
interface TrustedFile {
  file: string;
  /** Holds the SHA-256 of the file's text, in hexadecimal. */
  digest: string;
}

/** Limits the list to the files trusted last. */
const mostRemembered = 500;

/** Limits the list in bytes. The maximum number of entries with the longest paths fits. */
const largestList = 16_000_000;

/**
 * Returns true when the directory or one above it, up to the user's home, has a `.git`. Files there may come from somebody
 * else's repository.
 */
export async function isInWorkTree(directory: string, environment: Environment): Promise<boolean> {
  const home = resolve(getHomeDirectory(environment));
  for (let place = resolve(directory); ; place = dirname(place)) {
    if (await isExistingFile(join(place, ".git"))) return true;
    if (place === home || place === dirname(place)) return false;
  }
}

/** Reads the trusted files from `trusted.json` in the state directory. A file that cannot be read counts as an empty list. */
export async function readTrusted(home: string): Promise<readonly TrustedFile[]> {
  return (await readLists(home)).files;
}

/** Reads the files for which somebody has said no, from the same place. */
export async function readDeclined(home: string): Promise<readonly TrustedFile[]> {
  return (await readLists(home)).declined;
}

interface TrustLists {
  files: readonly TrustedFile[];
  declined: readonly TrustedFile[];
}

async function readLists(home: string): Promise<TrustLists> {
  try {
    const { text = "" } = await readPrivateFile(getTrustedFile(home), largestList);
    const read: unknown = JSON.parse(text);
    return { files: readList(read, "files"), declined: readList(read, "declined") };
  } catch {
    return { files: [], declined: [] };
  }
}

function readList(read: unknown, key: keyof TrustLists): TrustedFile[] {
  const list = isRecord(read) ? read[key] : undefined;
  return Array.isArray(list) ? list.filter(isTrustedFile) : [];
}

export function isTrusted(trusted: readonly TrustedFile[], file: string, text: string): boolean {
  const digest = hashText(text);
  return trusted.some((each) => each.file === file && each.digest === digest);
}

/** Remembers these files with exactly these texts; others cannot read what is remembered. Throws what the file system throws. */
export async function trustFiles(files: readonly { file: string; text: string }[], home: string): Promise<void> {
  await addToList("files", files, home);
}

/** Remembers that these files with exactly these texts are not to be trusted, so that nobody is asked again. */
export async function refuseFiles(files: readonly { file: string; text: string }[], home: string): Promise<void> {
  await addToList("declined", files, home);
}

async function addToList(
  key: keyof TrustLists,
  files: readonly { file: string; text: string }[],
  home: string,
): Promise<void> {
  const lists = await readLists(home);
  const news = files.map(({ file, text }) => ({ file, digest: hashText(text) }));
  const isNew = (one: TrustedFile): boolean =>
    news.some(({ file, digest }) => one.file === file && one.digest === digest);
  const all = [...lists[key].filter((one) => !isNew(one)), ...news].slice(-mostRemembered);
  const { declined, ...rest } = { ...lists, [key]: all };
  const written = declined.length === 0 ? rest : { ...rest, declined };
  await writePrivateFile(getTrustedFile(home), `${JSON.stringify(written, undefined, 2)}\n`);
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isTrustedFile(value: unknown): value is TrustedFile {
  return isRecord(value) && typeof value.file === "string" && typeof value.digest === "string";
}
