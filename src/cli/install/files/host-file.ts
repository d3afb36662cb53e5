import { constants, type Stats } from "node:fs";
import { chmod, chown, copyFile, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isExistingFile } from "../../../config/sources/find-file.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { createFolder } from "../../../kit/private-file.ts";
import { createRandomHex } from "../../../kit/random.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { type Host, hostNames, hosts } from "../hosts.ts";
import { joinPath, type Machine } from "../machine.ts";

/** A larger file, in bytes, is no settings file; that of Claude Code also holds its history. */
const largest = 64_000_000;

export interface HostFile {
  /** Holds the path of the file itself when the host's path is a link to it. */
  path: string;
  /** Is undefined when the file does not exist. */
  text: string | undefined;
}

interface FileWrite {
  path: string;
  text: string;
  now: Date;
  /** Is true when only the owner may read the file and its backup. */
  isPrivate: boolean;
}

/** Holds the owner and the mode of a file. */
type Right = Pick<Stats, "uid" | "gid" | "mode">;

/** Reads it. Throws one line where it is not a regular file, a link to nothing, too large, not in UTF-8 or not to be read. */
export async function readHostFile(file: string): Promise<HostFile> {
  const path = await realpath(file).catch(() => file);
  const state = await readStats(path);
  if (state === undefined) {
    if (await isLink(path))
      throw hostFileError(file, { zh: "是失效的链接", en: "is a link to a file that does not exist" });
    return { path, text: undefined };
  }
  if (!state.isFile()) throw hostFileError(file, { zh: "不是普通文件", en: "is not a regular file" });
  if (state.size > largest) throw hostFileError(file, { zh: "太大（超过 64 MB）", en: "is too large (over 64 MB)" });
  const bytes = await read(path, file);
  try {
    return { path, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (thrown) {
    throw hostFileError(file, { zh: "不是 UTF-8 文本", en: "is not UTF-8 text" }, thrown);
  }
}

/**
 * Writes it: whoever reads it sees the old text or the new one. Its owner stays, and its mode unless it is to be private; a
 * new one is the user's alone, for it may hold keys. Returns the path of the copy of what was there. Throws one line where that
 * cannot be done; then what was there is there still.
 */
export async function writeHostFile({ path, text, now, isPrivate }: FileWrite): Promise<string | undefined> {
  const draft = `${path}.${createRandomHex()}.tmp`;
  let backup: string | undefined;
  try {
    createFolder(dirname(path), 0o777);
    const state = await readStats(path);
    const right = state && toRight(state, isPrivate);
    backup = right && (await copyBeside(path, right, now));
    await fill(draft, text, right);
    await rename(draft, path);
    return backup;
  } catch (thrown) {
    for (const left of [draft, ...(backup === undefined ? [] : [backup])]) {
      await ignoreRejection(
        rm(left, { force: true }),
        "the error of the write is thrown, and a file that stays does no harm",
      );
    }
    const code = getErrorCode(thrown);
    throw hostFileError(path, { zh: `无法写入（${code}）`, en: `cannot be written (${code})` }, thrown);
  }
}

function toRight({ uid, gid, mode }: Stats, isPrivate: boolean): Right {
  return { uid, gid, mode: isPrivate ? 0o600 : mode & 0o7777 };
}

async function fill(draft: string, text: string, right: Right | undefined): Promise<void> {
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (right !== undefined) await applyRight(draft, right);
}

async function applyRight(file: string, right: Right): Promise<void> {
  await keepOwner(file, right);
  await chmod(file, right.mode);
}

/** Restores the owner when the command runs under sudo; other users cannot change owners and do not need to. */
async function keepOwner(file: string, { uid, gid }: Right): Promise<void> {
  await ignoreRejection(chown(file, uid, gid), "only a privileged user may give a file to its former owner");
}

/** Copies it to `FILE.duet-backup-YYYYMMDD-HHMMSS`, in local time; with a number behind where that one is there already. */
async function copyBeside(path: string, right: Right, now: Date): Promise<string> {
  const base = `${path}.duet-backup-${renderTimestamp(now)}`;
  for (let number = 1; ; number += 1) {
    const copy = number === 1 ? base : `${base}-${number}`;
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL);
      await applyRight(copy, right);
      return copy;
    } catch (thrown) {
      if (getErrorCode(thrown) !== "EEXIST" || number > 99) throw thrown;
    }
  }
}

function renderTimestamp(now: Date): string {
  const padToTwo = (value: number): string => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${padToTwo(now.getMonth() + 1)}${padToTwo(now.getDate())}`;
  return `${day}-${padToTwo(now.getHours())}${padToTwo(now.getMinutes())}${padToTwo(now.getSeconds())}`;
}

async function read(path: string, file: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((thrown: unknown) => {
    throw hostFileError(
      file,
      { zh: `无法读取（${getErrorCode(thrown)}）`, en: `cannot be read (${getErrorCode(thrown)})` },
      thrown,
    );
  });
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Checks the path itself, because replacing it would put a file in the link's place. */
async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (state) => state.isSymbolicLink(),
    () => false,
  );
}

async function readStats(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (thrown) {
    const code = getErrorCode(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw hostFileError(path, { zh: `无法读取（${code}）`, en: `cannot be read (${code})` }, thrown);
  }
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
}

/** Creates the one-line error for a host's file that is left unchanged: which file, and why. */
export function hostFileError(file: string, what: Text, cause?: unknown): DuetError {
  const text = { zh: sanitizeLine(`${file}：${what.zh}`), en: sanitizeLine(`${file}: ${what.en}`) };
  return new DuetError({ code: "invalid_request", text, cause });
}

/** Locates a host's file, which may not exist yet. */
export interface FileLocation {
  file: string;
  /** Is true when the file's folder exists, which means that the host has run on this machine. */
  isHostThere: boolean;
}

/**
 * Chooses the file of the user's servers, or that of the project in the current directory. Throws a `config` error for a host
 * that has no project files.
 */
export async function chooseFile(host: Host, machine: Machine, isProject: boolean): Promise<FileLocation> {
  if (isProject) {
    if (host.projectFile === undefined) throw missingProjectFileError(host);
    return { file: joinPath(machine, machine.directory, ...host.projectFile), isHostThere: true };
  }
  const files = host.files(machine);
  for (const first of files) {
    const folder = joinPath(machine, first, "..");
    if (!(await isExistingFile(folder))) continue;
    const inFolder = files.filter((each) => joinPath(machine, each, "..") === folder);
    for (const file of inFolder) if (await isExistingFile(file)) return { file, isHostThere: true };
    return { file: first, isHostThere: true };
  }
  return { file: files[0] ?? "", isHostThere: false };
}

function missingProjectFileError({ title }: Host): DuetError {
  const able = hostNames.filter((name) => hosts[name].projectFile !== undefined).join(", ");
  return new DuetError({
    code: "config",
    text: {
      zh: `--project: ${title} 没有项目文件（允许：${able}）`,
      en: `--project: ${title} has no project files (allowed: ${able})`,
    },
  });
}
