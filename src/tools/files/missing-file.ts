import type { Dirent } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { findAllowed, isPrivate, toPathRefusedResult } from "./allowed-path.ts";
import type { FileGuard } from "./file-guard.ts";
import { readEntries } from "./walk-files.ts";

/** Limits the names of files, and those of folders, that an answer about a missing file lists. */
const mostListed = 10;

/** Matches the names of files on every system; what else is asked for is no file that is merely missing. */
const plainName = /^[^\p{Cc}/\\:]{1,255}$/u;

/** Limits the entries of a directory that are looked at. */
const mostEntries = 2000;

/**
 * Answers a path of a file that may not be read. A folder in an allowed directory, and a file that is missing there, are answered
 * with the names of what may be read there, similar ones first; every other path gets the same answer as `toPathRefusedResult`, so
 * that nothing is said of what lies outside or is private.
 */
export async function toMissingFileResult(
  path: string,
  roots: readonly string[],
  locale: Locale,
  guard?: FileGuard,
): Promise<ToolResult> {
  const refused = toPathRefusedResult(path, locale);
  const found = await findAllowed(path, roots, guard);
  if (found !== undefined && (await isFolder(found))) {
    const shown = showValue(path);
    const what = { zh: `${shown} 是目录，不是文件。`, en: `${shown} is a folder, not a file.` };
    return toFailure([what, ...(await describeEntries(found, guard))], locale);
  }
  const name = basename(path);
  if (isPrivate(name) || !plainName.test(name)) return refused;
  const folder = await findAllowed(dirname(path), roots, guard);
  if (folder === undefined) return refused;
  // What is there but may not be read is not called missing.
  if (await ignoreRejection(lstat(join(folder, name)), "what is not there is missing")) return refused;
  const shown = sanitizeLine(folder);
  const what = { zh: `${shown} 里没有 ${showValue(name)}。`, en: `There is no ${showValue(name)} in ${shown}.` };
  return toFailure([what, ...(await describeEntries(folder, guard, name))], locale);
}

async function isFolder(path: string): Promise<boolean> {
  const status = await ignoreRejection(lstat(path), "what has just gone is no folder");
  return status?.isDirectory() === true;
}

function toFailure(sentences: readonly Text[], locale: Locale): ToolResult {
  return createFailure("tool", sentences.map((text) => say(locale, text)).join(say(locale, { zh: "", en: " " })));
}

/** Shows a name with the size of the file, which tells whether it is worth reading whole. */
async function showFile(folder: string, name: string): Promise<string> {
  const status = await ignoreRejection(lstat(join(folder, name)), "a file that has just gone has no size");
  return status === undefined ? sanitizeLine(name) : `${sanitizeLine(name)} ${formatSize(status.size)}`;
}

/** Says what may be read in a folder, with names that are similar to the wanted one first. */
async function describeEntries(folder: string, guard: FileGuard | undefined, wanted = ""): Promise<Text[]> {
  const isProtected = await guard?.findProtected();
  const { entries } = await readEntries(folder, mostEntries);
  const open = entries.filter(({ name }) => !isPrivate(name) && !isProtected?.(join(folder, name)));
  const listNames = (isListed: (entry: Dirent) => boolean): string[] =>
    sortBySimilarity(
      open.filter(isListed).map(({ name }) => name),
      wanted,
    );
  const files = listNames((entry) => entry.isFile());
  const folders = listNames((entry) => entry.isDirectory());
  const shownFiles = await Promise.all(files.slice(0, mostListed).map((name) => showFile(folder, name)));
  const shownFolders = folders.slice(0, mostListed).map(sanitizeLine);
  return [
    files.length === 0
      ? { zh: "那里没有可读的文件。", en: "There are no files to read there." }
      : renderNames({ zh: "文件", en: "Files" }, shownFiles, files.length),
    ...(folders.length === 0 ? [] : [renderNames({ zh: "目录", en: "Folders" }, shownFolders, folders.length)]),
  ];
}

function renderNames(kind: Text, shown: readonly string[], count: number): Text {
  const isCut = count > shown.length;
  return {
    zh: `那里的${kind.zh}（共 ${count} 个）：${shown.join("、")}${isCut ? " 等" : ""}。`,
    en: `${kind.en} there (${count}): ${shown.join(", ")}${isCut ? ", …" : "."}`,
  };
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
