import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "../../kit/json.ts";
import { readPrivateFile, writePrivateFile } from "../../kit/random.ts";
import type { Environment } from "../sources/expand-variables.ts";
import { getHomeDirectory, getTrustedFile, isExistingFile } from "../sources/find-file.ts";

/** A file as somebody has seen and trusted it; the same content at another place is another file. */
interface TrustedFile {
  file: string;
  /** SHA-256 of its text, in hexadecimal. */
  digest: string;
}

/** So many are remembered, the last trusted ones. */
const mostRemembered = 500;

/** In bytes; larger than so many of the longest paths. */
const largestList = 16_000_000;

/**
 * Whether a directory lies in a git work tree: it has a `.git`, or one above it has, up to the user's home. What is found
 * there may have come with a repository of somebody else's.
 */
export async function isInWorkTree(directory: string, environment: Environment): Promise<boolean> {
  const home = resolve(getHomeDirectory(environment));
  for (let place = resolve(directory); ; place = dirname(place)) {
    if (await isExistingFile(join(place, ".git"))) return true;
    if (place === home || place === dirname(place)) return false;
  }
}

/** What was trusted, from `trusted.json` in the state directory; one that cannot be read trusts nothing. */
export async function readTrusted(home: string): Promise<readonly TrustedFile[]> {
  try {
    const { text = "" } = await readPrivateFile(getTrustedFile(home), largestList);
    const read: unknown = JSON.parse(text);
    const files = isRecord(read) && Array.isArray(read.files) ? read.files : [];
    return files.filter(isTrustedFile);
  } catch {
    return [];
  }
}

export function isTrusted(trusted: readonly TrustedFile[], file: string, text: string): boolean {
  const digest = digestOf(text);
  return trusted.some((each) => each.file === file && each.digest === digest);
}

/** Remembers these files with exactly these texts; others cannot read what is remembered. Throws what the file system throws. */
export async function trustFiles(files: readonly { file: string; text: string }[], home: string): Promise<void> {
  const news = files.map(({ file, text }) => ({ file, digest: digestOf(text) }));
  const isNew = (one: TrustedFile): boolean =>
    news.some(({ file, digest }) => one.file === file && one.digest === digest);
  const known = (await readTrusted(home)).filter((one) => !isNew(one));
  const all = [...known, ...news].slice(-mostRemembered);
  await writePrivateFile(getTrustedFile(home), `${JSON.stringify({ files: all }, undefined, 2)}\n`);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isTrustedFile(value: unknown): value is TrustedFile {
  return isRecord(value) && typeof value.file === "string" && typeof value.digest === "string";
}
