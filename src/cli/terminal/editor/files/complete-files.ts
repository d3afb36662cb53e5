import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { Complete, Completion } from "../editor.ts";

/**
 * Completes `@path` with what is in its folder, folders with a `/` behind them, hidden files where a dot is typed. A folder that
 * takes longer than half a second, as on a network that is gone, gives what came until then, and nothing is asked until it answers.
 */
export function createCompleteFiles(folders: Folders): Complete {
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
    if (path === "~") return { from: mention.from, completions: [{ text: "@~/" }] };
    const found: Completion[] = [];
    const limit = Promise.withResolvers<void>();
    const work = ignoreRejection(
      list(resolvePath(folder, folders), path.slice(folder.length), (name) => {
        found.push({ text: `@${toMention(folder + name)}${name.endsWith("/") ? "" : " "}` });
        return !isStuck;
      }),
      "a folder that cannot be read completes nothing",
    );
    const timer = setTimeout(() => {
      isStuck = true;
      limit.resolve();
    }, limitMs);
    await Promise.race([work, limit.promise]);
    clearTimeout(timer);
    if (isStuck) void work.then(() => (isStuck = false));
    const completions = found.sort(compareNames).slice(0, mostCompletions);
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

/** Limits how many entries of one folder are read. */
const mostRead = 20_000;
const limitMs = 500;

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
}

/** Finds the mention that ends at the end of the text; undefined when there is none. */
export function findMentionAtEnd(textBefore: string): FileMention | undefined {
  const start = Math.max(0, textBefore.length - longest);
  const found = /(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@)*)$/.exec(textBefore.slice(start));
  return found ? { from: start + found.index, typed: found[1] ?? "" } : undefined;
}

/**
 * Finds all mentions in a text, in order. Each ends at a space or at the next mention. The `@` of an address (`a@b.com`) and one
 * after a backslash do not count.
 */
export function findMentions(text: string): FileMention[] {
  const found = text.matchAll(/(?<![\w.+\-@/\\])@((?:\\.|[^\s\\@]|(?<=[\w.+\-/])@){1,1000})/g);
  return Array.from(found, ({ index, 1: typed = "" }) => ({ from: index, typed }));
}

/** Returns the path as the file system knows it, without the backslashes before spaces. */
export function toPath(typed: string): string {
  return typed.replace(/\\(.)/g, "$1");
}

/** Escapes the spaces and backslashes of a path for a mention. */
export function toMention(path: string): string {
  return path.replace(/[\s\\]/g, "\\$&");
}

const longest = 1_000;
