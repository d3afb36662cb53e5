import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { findAllowed, isPrivate, toPathRefusedResult } from "./allowed-path.ts";
import type { FileGuard } from "./file-guard.ts";
import { readEntries } from "./walk-files.ts";

/** Limits the names that an answer about a missing file lists. */
const mostListed = 10;

/** Matches the names of files on every system; what else is asked for is no file that is merely missing. */
const plainName = /^[^\p{Cc}/\\:]{1,255}$/u;

/** Limits the entries of a directory that are looked at. */
const mostEntries = 2000;

/**
 * Answers a path of a file that may not be read. A missing file in an allowed directory is answered with the names of the files
 * there that may be read, similar ones first; every other path gets the same answer as `toPathRefusedResult`, so that nothing is
 * said of what lies outside or is private.
 */
export async function toMissingFileResult(
  path: string,
  roots: readonly string[],
  locale: Locale,
  guard?: FileGuard,
): Promise<ToolResult> {
  const refused = toPathRefusedResult(path, locale);
  const name = basename(path);
  if (isPrivate(name) || !plainName.test(name)) return refused;
  const folder = await findAllowed(dirname(path), roots, guard);
  if (folder === undefined) return refused;
  // What is there but may not be read is not called missing.
  if (await ignoreRejection(lstat(join(folder, name)), "what is not there is missing")) return refused;
  const files = await listFiles(folder, guard);
  const shown = sanitizeLine(folder);
  const missing = { zh: `${shown} 里没有 ${showValue(name)}。`, en: `There is no ${showValue(name)} in ${shown}.` };
  const names = sortBySimilarity(files, name);
  const listed = await Promise.all(names.slice(0, mostListed).map((each) => showFile(folder, each)));
  const isCut = names.length > listed.length;
  const there =
    listed.length === 0
      ? { zh: "那里没有可读的文件。", en: "There are no files to read there." }
      : {
          zh: `那里的文件（共 ${names.length} 个）：${listed.join("、")}${isCut ? " 等" : ""}。`,
          en: `Files there (${names.length}): ${listed.join(", ")}${isCut ? ", …" : "."}`,
        };
  return createFailure("tool", say(locale, { zh: missing.zh + there.zh, en: `${missing.en} ${there.en}` }));
}

/** Shows a name with the size of the file, which tells whether it is worth reading whole. */
async function showFile(folder: string, name: string): Promise<string> {
  const status = await ignoreRejection(lstat(join(folder, name)), "a file that has just gone has no size");
  return status === undefined ? sanitizeLine(name) : `${sanitizeLine(name)} ${formatSize(status.size)}`;
}

async function listFiles(folder: string, guard: FileGuard | undefined): Promise<string[]> {
  const isProtected = await guard?.findProtected();
  const { entries } = await readEntries(folder, mostEntries);
  return entries
    .filter((entry) => entry.isFile() && !isPrivate(entry.name) && !isProtected?.(join(folder, entry.name)))
    .map(({ name }) => name);
}

/** Names that share more pairs of characters with the wanted one come first, then by the alphabet. */
function sortBySimilarity(names: readonly string[], wanted: string): string[] {
  const pairs = new Set(listPairs(wanted));
  const scored = names.map((name) => {
    const own = listPairs(name);
    return { name, score: own.filter((pair) => pairs.has(pair)).length / (own.length + pairs.size || 1) };
  });
  return scored.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}

function listPairs(name: string): string[] {
  const lowered = name.toLowerCase();
  return [...new Set([...lowered].slice(1).map((_, index) => lowered.slice(index, index + 2)))];
}
