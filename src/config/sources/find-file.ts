import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { isAbsolute, join, parse, relative, resolve } from "node:path";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { configError } from "../config-errors.ts";
import type { Environment } from "./expand-variables.ts";

export const fileName = "duet.config.json";

const largest = 1_000_000;

/**
 * Returns the requested file, else the first place that has one, or, with `only`, the user's. `exists` is false when there is
 * none.
 */
export async function findFile(
  asked: string | undefined,
  environment: Environment,
  directory: string,
  only?: "users",
): Promise<{ file: string; exists: boolean }> {
  if (asked !== undefined) return { file: resolve(directory, asked), exists: true };
  const [here, users] = listSearchedPaths(environment, directory);
  if (only === undefined && (await isExistingFile(here))) return { file: here, exists: true };
  return (await isExistingFile(users)) ? { file: users, exists: true } : { file: here, exists: false };
}

/** Lists the places that are searched when no file is named, in this order: the directory's and the user's. */
export function listSearchedPaths(environment: Environment, directory: string): [here: string, users: string] {
  return [join(directory, fileName), join(getConfigDirectory(environment), "config.json")];
}

/** Returns the directory of the user's configuration and tools. */
export function getConfigDirectory(environment: Environment): string {
  return join(getBaseDirectory(environment, "XDG_CONFIG_HOME", ".config"), "duet");
}

/** Returns the directory of conversations, history and approvals. */
export function getStateDirectory(environment: Environment, directory: string): string {
  if (environment.DUET_HOME) return resolve(directory, environment.DUET_HOME);
  return join(getBaseDirectory(environment, "XDG_STATE_HOME", join(".local", "state")), "duet");
}

export function getTrustedFile(home: string): string {
  return join(home, "trusted.json");
}

// The XDG specification says that a relative path in these variables is to be ignored.
function getBaseDirectory(environment: Environment, variable: string, fallback: string): string {
  const base = environment[variable];
  return base && isAbsolute(base) ? base : join(getHomeDirectory(environment), fallback);
}

/** An empty or relative `HOME` would let the current folder stand for the user's own, whose files are trusted. */
export function getHomeDirectory(environment: Environment): string {
  const named = [environment.HOME, environment.USERPROFILE, homedir()];
  return named.find((path) => path !== undefined && isAbsolute(path)) ?? userInfo().homedir;
}

/** Returns an absolute path. `~/` is the user's home. */
export function toAbsolutePath(written: string, base: string, environment: Environment): string {
  return written.startsWith("~/") ? join(getHomeDirectory(environment), written.slice(2)) : resolve(base, written);
}

// What is small and near is read at once: waking Node's pool of threads for the first time takes longer than all of a start's files.
export async function isExistingFile(file: string): Promise<boolean> {
  return existsSync(file);
}

/** Returns the file's text, and undefined when the file does not exist. Reads only a regular file of at most 1 MB in UTF-8. */
export async function readText(file: string, shownAs: string): Promise<string | undefined> {
  const bytes = readBytes(file, shownAs);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw configError(shownAs, { zh: "不是 UTF-8 文本", en: "is not UTF-8 text" }, thrown);
  }
}

function readBytes(file: string, shownAs: string): Uint8Array | undefined {
  try {
    const status = statSync(file);
    if (!status.isFile()) throw configError(shownAs, { zh: "不是普通文件", en: "is not a regular file" });
    if (status.size > largest) throw configError(shownAs, describeTooLarge(status.size));
    return readFileSync(file);
  } catch (thrown) {
    if (thrown instanceof DuetError) throw thrown;
    const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw configError(shownAs, { zh: `无法读取（${code}）`, en: `cannot be read (${code})` }, thrown);
  }
}

const describeTooLarge = (size: number) => ({
  zh: `不能有 ${size} 字节（允许：最多 ${largest} 字节）`,
  en: `${size} bytes are too many (allowed: at most ${largest} bytes)`,
});

/**
 * Returns the file's name as errors show it. It is relative to the directory when the file lies below it and the directory is
 * not the root.
 */
export function toDisplayedPath(file: string, directory: string): string {
  if (parse(directory).root === directory) return file;
  const short = relative(directory, file);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short;
}
