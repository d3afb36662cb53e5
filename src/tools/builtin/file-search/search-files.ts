import { basename, posix, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isMatch } from "../../../kit/text/match-pattern.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { toDisplayedPath } from "../../files/allowed-path.ts";
import type { FileAccess } from "../../files/file-guard.ts";
import { createDecoder, readStart } from "../../files/read-lines.ts";
import { openAllowed, type WalkLimits, walkFiles } from "../../files/walk-files.ts";

export interface FileSearchLimits extends WalkLimits {
  /** Limits the bytes read in total and per file. A larger file is found by its name only. */
  totalBytes: number;
  fileBytes: number;
}

/** Holds one search: its query, its limits and what it has used so far. */
export interface FileSearch extends FileAccess {
  needle: string;
  /** Selects files by their displayed path. All files are searched when it is undefined. */
  include: FileGlob | undefined;
  names: boolean;
  contents: boolean;
  most: number;
  limits: FileSearchLimits;
  tally: { files: number; bytes: number; large: number; partial: boolean };
}

export interface Match {
  /** Is `path` (for its name) or `path:line: fragment`. */
  text: string;
  /** Is the real path of a file whose content matches, and undefined for a match of its name. */
  file: string | undefined;
}

/** Finds matches in the order of the walk. One more than requested shows that there are more. */
export async function searchFiles(
  starts: readonly string[],
  search: FileSearch,
  signal: AbortSignal,
): Promise<Match[]> {
  const { limits, tally, most, guard } = search;
  const deadline = performance.now() + limits.milliseconds;
  const matches: Match[] = [];
  for (const start of starts) {
    const onLimit = (): void => {
      tally.partial = true;
    };
    const walk = walkFiles(start, limits, signal, onLimit, guard);
    for await (const files of groupBatches(filterIncluded(walk, search), 16)) {
      signal.throwIfAborted();
      if (performance.now() > deadline || tally.bytes >= limits.totalBytes) {
        tally.partial = true;
        return matches;
      }
      const contents = await Promise.all(files.map((file) => readAllowed(file, search)));
      tally.files += files.length;
      for (const [index, file] of files.entries()) {
        const bytes = contents[index];
        matches.push(...inspect(file, bytes, search));
        // Others get their turn between large files.
        if (bytes !== undefined && bytes.length > 200_000) await setImmediate();
      }
      if (matches.length > most) return matches;
    }
  }
  return matches;
}

async function* filterIncluded(walk: AsyncIterable<string>, { include, roots }: FileSearch): AsyncGenerator<string> {
  for await (const file of walk) if (include?.(toPath(file, roots)) ?? true) yield file;
}

async function* groupBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function inspect(file: string, bytes: Buffer | undefined, search: FileSearch): Match[] {
  const { needle, roots, most } = search;
  const shown = toDisplayedPath(file, roots);
  const isFound = search.names && isNamed(toPath(file, roots), needle);
  const matches: Match[] = isFound ? [{ text: sanitizeLine(shown), file: undefined }] : [];
  const text = bytes && createDecoder(bytes)?.decode(bytes);
  if (text === undefined) return matches;
  const lines = findLines(text, needle, most + 1).map(
    ({ line, fragment }): Match => ({ text: `${sanitizeLine(shown)}:${line}: ${fragment}`, file }),
  );
  return [...matches, ...lines];
}

function toPath(file: string, roots: readonly string[]): string {
  return toDisplayedPath(file, roots).replaceAll(sep, "/");
}

function isNamed(path: string, needle: string): boolean {
  if (needle.includes("*")) return createFileGlob(needle)(path);
  const named = needle.includes("/") ? path : basename(path);
  return named.normalize("NFC").toLowerCase().includes(needle);
}

/** Reads a file. Returns undefined when contents are not searched, or when the file is too large or may not be read. */
async function readAllowed(
  file: string,
  { contents, roots, guard, limits, tally }: FileSearch,
): Promise<Buffer | undefined> {
  const handle = contents ? await openAllowed(file, roots, guard) : undefined;
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > limits.fileBytes) {
      tally.large++;
      return undefined;
    }
    tally.bytes += size;
    return (await readStart(handle, size)).bytes;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

export interface Hit {
  /** Counts from 1. */
  line: number;
  /** Holds the part of the line around the hit. */
  fragment: string;
}

const newline = 10;

/** Finds the lines that contain `needle` (lower case, plain text), ignoring case. Returns at most `most`. */
export function findLines(text: string, needle: string, most: number): Hit[] {
  const lowered = text.toLowerCase();
  // A few letters change their length in lower case; then positions only fit the lowered text.
  const original = lowered.length === text.length ? text : lowered;
  const hits: Hit[] = [];
  let line = 1;
  let counted = 0;
  let found = lowered.indexOf(needle);
  while (found >= 0 && hits.length < most) {
    const start = lowered.lastIndexOf("\n", found) + 1;
    for (; counted < start; counted++) if (lowered.charCodeAt(counted) === newline) line++;
    const next = lowered.indexOf("\n", found);
    const end = next < 0 ? lowered.length : next;
    hits.push({ line, fragment: cutFragment(original.slice(start, end), found - start) });
    found = next < 0 ? -1 : lowered.indexOf(needle, end + 1);
  }
  return hits;
}

/** Returns the whole line if it is short, else the 200 characters around the hit. */
function cutFragment(line: string, hit: number): string {
  if (line.length <= 200) return sanitizeLine(line);
  const from = Math.max(0, hit - 60);
  const part = takeStart(line.slice(from), 200).replace(/^[\udc00-\udfff]/, "");
  return `${from > 0 ? "…" : ""}${sanitizeLine(part)}${from + 200 < line.length ? "…" : ""}`;
}

/** Returns true when a path (with `/`) matches. */
export type FileGlob = (path: string) => boolean;

/**
 * Creates a matcher for a pattern such as `*.md`, `docs/*.md` or `*.{ts,js}`, in which `*` is any run of characters. A pattern
 * without `/` matches file names only. Case is ignored.
 */
export function createFileGlob(pattern: string): FileGlob {
  const plain = pattern
    .normalize("NFC")
    .toLowerCase()
    .replace(/^(\.?\/|\*\*\/)+/, "")
    .replaceAll("**/", "*");
  const [, before = "", choices = plain, after = ""] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(plain) ?? [];
  const patterns = choices === plain ? [plain] : choices.split(",").map((choice) => before + choice + after);
  return (path) => {
    const whole = path.normalize("NFC").toLowerCase();
    return patterns.some((each) => isMatch(each.includes("/") ? whole : posix.basename(whole), each));
  };
}
