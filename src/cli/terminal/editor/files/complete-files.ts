import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Complete, Completion } from "../menu.ts";

/**
 * Completes `@path` with what is in its folder, folders with a `/` behind them, hidden files where a dot is typed. A folder that
 * takes longer than half a second, as on a network that is gone, gives what came until then, and nothing is asked until it answers.
 */
export function createCompleteFiles(folders: Folders): Complete {
  /** Every such wait holds one of the four threads on which the process reads files. */
  let isStuck = false;

  return async (textBefore) => {
    const mention = findMentionAtEnd(textBefore);
    if (mention === undefined || isStuck) return undefined;
    const path = toPath(mention.typed);
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (path === "~") return { from: mention.from, completions: [{ text: "@~/" }] };
    const found: Completion[] = [];
    const limit = Promise.withResolvers<void>();
    const work = list(resolvePath(folder, folders), path.slice(folder.length), (name) => {
      found.push({ text: `@${toMention(folder + name)}${name.endsWith("/") ? "" : " "}` });
      return !isStuck;
    }).catch(() => {});
    const timer = setTimeout(() => {
      isStuck = true;
      limit.resolve();
    }, limitMs);
    await Promise.race([work, limit.promise]);
    clearTimeout(timer);
    if (isStuck) void work.then(() => (isStuck = false));
    const completions = found.sort(byName).slice(0, mostCompletions);
    return completions.length === 0 ? undefined : { from: mention.from, completions };
  };
}

async function list(folder: string, beginning: string, found: (name: string) => boolean): Promise<void> {
  const wanted = beginning.toLowerCase();
  let read = 0;
  for await (const entry of await opendir(folder)) {
    if (++read > mostRead) return;
    if (!entry.name.toLowerCase().startsWith(wanted) || /[\p{Cc}\p{Cf}]/u.test(entry.name)) continue;
    if (entry.name.startsWith(".") && !beginning.startsWith(".")) continue;
    const kind = await kindOf(folder, entry);
    if (kind === undefined) continue;
    if (!found(kind === "folder" ? `${entry.name}/` : entry.name)) return;
  }
}

async function kindOf(folder: string, entry: Dirent): Promise<"folder" | "file" | undefined> {
  const state = entry.isSymbolicLink() ? await stat(join(folder, entry.name)).catch(() => undefined) : entry;
  if (state?.isDirectory()) return "folder";
  return state?.isFile() ? "file" : undefined;
}

function byName(one: Completion, other: Completion): number {
  return one.text.trimEnd() < other.text.trimEnd() ? -1 : 1;
}

const mostCompletions = 50;

/** Entries of one folder. */
const mostRead = 20_000;
const limitMs = 500;

/** Where paths that somebody types begin. */
export interface Folders {
  /** The working directory. */
  readonly cwd: string;
  /** What `~` stands for. */
  readonly home: string;
}

/** The whole path. */
export function resolvePath(path: string, { cwd, home }: Folders): string {
  return path === "~" || path.startsWith("~/") ? resolve(home, `.${path.slice(1)}`) : resolve(cwd, path);
}

/** A file that is named in a text: `@path`. */
export interface FileMention {
  /** The index of its `@`. */
  readonly from: number;
  /** As it was typed, `\ ` standing for a space. */
  readonly typed: string;
}

/** The mention that ends where the text ends; undefined where none does. */
export function findMentionAtEnd(textBefore: string): FileMention | undefined {
  const start = Math.max(0, textBefore.length - longest);
  const found = /(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@)*)$/.exec(textBefore.slice(start));
  return found ? { from: start + found.index, typed: found[1] ?? "" } : undefined;
}

/** Every mention of a text, in order, up to a space or the next one; the `@` of an address (`a@b.com`) and that behind a backslash are none. */
export function findMentions(text: string): FileMention[] {
  const found = text.matchAll(/(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@){1,1000})/g);
  return Array.from(found, ({ index, 1: typed = "" }) => ({ from: index, typed }));
}

/** The path as a file system knows it: without the backslashes before spaces. */
export function toPath(typed: string): string {
  return typed.replace(/\\(.)/g, "$1");
}

/** The other way round. */
export function toMention(path: string): string {
  return path.replace(/[\s\\]/g, "\\$&");
}

const longest = 1_000;
