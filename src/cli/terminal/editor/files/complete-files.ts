import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { Complete, Completion } from "../editor.ts";
import { matchPaths } from "./match-paths.ts";

/** Limits how many entries of one folder, or of the tree below, are read. */
const mostRead = 20_000;

/** Limits the waits, in milliseconds. */
export interface CompletionLimits {
  /** Limits the wait for all that is offered. It is 500 when absent. */
  limitMs?: number;
  /** Limits the search of the tree below. It is 400 when absent. */
  treeMs?: number;
}

/**
 * Completes `@path` with what is in its folder, folders with a `/` behind them, hidden files where a dot is typed, and then with
 * files and folders below the working folder whose paths hold the letters, without what git ignores. A folder that takes longer
 * than the limit, as on a network that is gone, gives what came until then, and nothing is asked until it answers.
 */
export function createCompleteFiles(folders: Folders, limits: CompletionLimits = {}): Complete {
  const { limitMs = 500, treeMs = 400 } = limits;
  const listPaths = createPathList(folders.cwd, treeMs);
  /**
   * Is true while a read hangs: each one occupies one of the four threads on which the process reads files, so no further read
   * starts.
   */
  let isStuck = false;

  return async (textBefore) => {
    const mention = findMentionAtEnd(textBefore);
    if (mention === undefined || isStuck) return undefined;
    const path = toPath(mention.typed);
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const toCompletion = (name: string): Completion => ({ text: completeMention(name, mention.quote) });
    if (path === "~") return { from: mention.from, completions: [toCompletion("~/")] };
    const found: Completion[] = [];
    const limit = Promise.withResolvers<void>();
    const work = ignoreRejection(
      list(resolvePath(folder, folders), path.slice(folder.length), (name) => {
        found.push(toCompletion(folder + name));
        return !isStuck;
      }),
      "a folder that cannot be read completes nothing",
    );
    const all = Promise.all([work, isSearched(path) ? listPaths() : []]);
    const timer = setTimeout(() => {
      isStuck = true;
      limit.resolve();
    }, limitMs);
    const [, below] = (await Promise.race([all, limit.promise])) ?? [undefined, []];
    clearTimeout(timer);
    if (isStuck) void all.then(() => (isStuck = false));
    const here = found.sort(compareNames).slice(0, mostCompletions);
    const others = matchPaths(path, below, mostCompletions).map(toCompletion);
    const completions = [...here, ...leaveOut(here, others)].slice(0, mostCompletions);
    return completions.length === 0 ? undefined : { from: mention.from, completions };
  };
}

/** Is true for what may be a part of a path below the working folder. */
function isSearched(path: string): boolean {
  return path !== "" && !/^[.~/\\]|\/$/.test(path);
}

function leaveOut(known: readonly Completion[], completions: readonly Completion[]): Completion[] {
  const texts = new Set(known.map(({ text }) => text));
  return completions.filter(({ text }) => !texts.has(text));
}

/** Returns the mention of a path. The quote with which one begins stays, unless the path holds it, and is open behind a folder. */
function completeMention(path: string, quote: string | undefined): string {
  const isFolder = path.endsWith("/");
  const close = quote === undefined ? undefined : closingQuotes[quote];
  if (quote === undefined || close === undefined || path.includes(quote) || path.includes(close))
    return `@${toMention(path)}${isFolder ? "" : " "}`;
  return isFolder ? `@${quote}${path}` : `@${quote}${path}${close} `;
}

/** Lists the tree below a folder, again once the last list is older than a few seconds. */
function createPathList(cwd: string, milliseconds: number): () => Promise<readonly string[]> {
  let known: { at: number; paths: Promise<readonly string[]> } | undefined;

  async function read(): Promise<readonly string[]> {
    const { listTree } = await import("./list-tree.ts");
    const paths: string[] = [];
    await listTree(cwd, { ...treeLimits, milliseconds }, (path) => paths.push(path) > 0);
    return paths;
  }

  return () => {
    const now = performance.now();
    if (known === undefined || now - known.at > freshMs) known = { at: now, paths: read() };
    return known.paths;
  };
}

const treeLimits = { entries: mostRead, depth: 12 };
const freshMs = 5_000;

async function list(folder: string, beginning: string, found: (name: string) => boolean): Promise<void> {
  const wanted = beginning.toLowerCase();
  let read = 0;
  for await (const entry of await opendir(folder)) {
    if (++read > mostRead) return;
    if (!entry.name.toLowerCase().startsWith(wanted) || /[\p{Cc}\p{Cf}]/u.test(entry.name)) continue;
    if (entry.name.startsWith(".") && !beginning.startsWith(".")) continue;
    const kind = await readKind(folder, entry);
    if (kind === undefined) continue;
    if (!found(kind === "folder" ? `${entry.name}/` : entry.name)) return;
  }
}

async function readKind(folder: string, entry: Dirent): Promise<"folder" | "file" | undefined> {
  const state = entry.isSymbolicLink()
    ? await ignoreRejection(stat(join(folder, entry.name)), "a link that leads nowhere is not offered")
    : entry;
  if (state?.isDirectory()) return "folder";
  return state?.isFile() ? "file" : undefined;
}

function compareNames(one: Completion, other: Completion): number {
  return one.text.trimEnd() < other.text.trimEnd() ? -1 : 1;
}

const mostCompletions = 50;

/** Holds the folders to which typed paths are relative. */
export interface Folders {
  readonly cwd: string;
  /** Replaces `~`. */
  readonly home: string;
}

export function resolvePath(path: string, { cwd, home }: Folders): string {
  return path === "~" || path.startsWith("~/") ? resolve(home, `.${path.slice(1)}`) : resolve(cwd, path);
}

/** A text mentions a file as `@path`. */
export interface FileMention {
  /** Is the index of the `@`. */
  readonly from: number;
  /** Holds the path as typed, where `\ ` stands for a space. */
  readonly typed: string;
  /** Is the quote with which a path in quotes begins. Such a path ends where they do. */
  readonly quote: string | undefined;
}

/** Finds the mention that ends at the end of the text, or whose quotes are still open there; undefined when there is none. */
export function findMentionAtEnd(textBefore: string): FileMention | undefined {
  const start = Math.max(0, textBefore.length - longest);
  const end = textBefore.slice(start);
  const open = openMention.exec(end);
  if (open) return { from: start + open.index, typed: toMention(open[0].slice(2)), quote: open[0][1] };
  const found = bareMentionAtEnd.exec(end);
  return found ? { from: start + found.index, typed: found[1] ?? "", quote: undefined } : undefined;
}

/**
 * Finds the mentions in a text, in order, each when it is asked for. One ends at a space or at the next mention, and one in quotes
 * (`@"my file.png"`) behind them. The `@` of an address (`a@b.com`) and one after a backslash do not count.
 */
export function* findMentions(text: string): Generator<FileMention, void, undefined> {
  for (const { index, 0: whole, 1: bare } of text.matchAll(mentions))
    yield bare === undefined
      ? { from: index, typed: toMention(whole.slice(2, -1)), quote: whole[1] }
      : { from: index, typed: bare, quote: undefined };
}

/** Holds the quotes in which a path may stand, each with the one that ends it. */
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "‘": "’" };
const quotePairs = Object.entries(closingQuotes);

const mentionStart = /(?<![\w.+\-@/\\])@/.source;
const bareCharacter = /(?:\\.|[^\s\\@]|(?<=[\w.+\-/])@)/.source;

const bareMentionAtEnd = new RegExp(`${mentionStart}(${bareCharacter}*)$`);

/** Matches a mention at the end of a text whose quotes are not closed. */
const openMention = new RegExp(
  `${mentionStart}(?:${quotePairs.map(([open, close]) => `${open}[^${open}${close}\\n]*`).join("|")})$`,
);

/** Matches a mention. A quote that opens another one ends the search for its end, which would else begin anew at each of many. */
const mentions = new RegExp(
  `${mentionStart}(?:${quotePairs.map(([open, close]) => `${open}[^${open}${close}\\n]{1,1000}${close}`).join("|")}|(${bareCharacter}{1,1000}))`,
  "g",
);

/** Returns the path as the file system knows it, without the backslashes before spaces. */
export function toPath(typed: string): string {
  return typed.replace(/\\(.)/g, "$1");
}

/** Escapes the spaces and backslashes of a path for a mention, and a quote with which it begins. */
export function toMention(path: string): string {
  return path.replace(/^["'“‘]|[\s\\]/g, "\\$&");
}

const longest = 1_000;
