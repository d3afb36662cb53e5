import type { Stats } from "node:fs";
import { opendir, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { escapeRegExp } from "../../kit/text/escape-reg-exp.ts";
import { isInside } from "./is-inside.ts";

/** Lists what no tool reads, whatever its name and wherever it lies. The paths are absolute. */
export interface ProtectedFiles {
  /** Lists configurations and files of keys. Their backups are protected too. */
  files: readonly string[];
  /** Lists directories with all that is below them. */
  folders: readonly string[];
}

/** Finds the files that hold our configuration and state. */
export interface FileGuard {
  /** Returns a function that is true for a real path of a protected file or directory, and of a backup. */
  findProtected(): Promise<(real: string) => boolean>;
  /** Returns true when the opened file is a protected one under another name (a hard link). */
  isLinked(opened: Stats): Promise<boolean>;
}

/** Says which files tools may read: those under the roots, but not those that the guard finds. */
export interface FileAccess {
  roots: readonly string[];
  guard?: FileGuard | undefined;
}

/** Sets how long the links on the way to the protected files are taken to stay the same, in milliseconds. */
const resolvedMs = 1000;

/** Limits the files of a directory that are compared with a file of several names. */
const mostCompared = 20_000;

export function createFileGuard({ files, folders }: ProtectedFiles): FileGuard {
  let known: { at: number; isProtected: Promise<(real: string) => boolean> } | undefined;
  async function resolveProtected(): Promise<(real: string) => boolean> {
    const [ownFiles, ownFolders] = await Promise.all([
      Promise.all(files.map(toReal)),
      Promise.all(folders.map(toReal)),
    ]);
    const all = [...new Set([...files.map((file) => resolve(file)), ...ownFiles])].map(describeFile);
    // A disk may not tell capitals apart, and its own path of a file is not known to be the one that we know.
    const lowerFolders = ownFolders.map((folder) => folder.toLowerCase());
    return (real) => {
      const lowered = real.toLowerCase();
      return (
        lowerFolders.some((folder) => isInside(lowered, folder)) || all.some((file) => isSameOrBackup(lowered, file))
      );
    };
  }
  return {
    findProtected() {
      const now = performance.now();
      if (known === undefined || now - known.at > resolvedMs) known = { at: now, isProtected: resolveProtected() };
      return known.isProtected;
    },
    async isLinked(opened) {
      if (opened.nlink < 2) return false;
      const isSame = async (path: string): Promise<boolean> => {
        const there = await ignoreRejection(stat(path), "a file that is gone has no other name");
        return there?.ino === opened.ino && there.dev === opened.dev;
      };
      for (const file of files) if (await isSame(file)) return true;
      const isProtected = await this.findProtected();
      for (const folder of await listFolders(files)) {
        for await (const path of listEntries(folder)) if (isProtected(path) && (await isSame(path))) return true;
      }
      for (const folder of folders) {
        for await (const path of listFiles(folder)) if (await isSame(path)) return true;
      }
      return false;
    },
  };
}

/** Resolves links as far as the path exists. */
async function toReal(path: string): Promise<string> {
  const absolute = resolve(path);
  return (await ignoreRejection(realpath(absolute), "what does not exist yet has the path it will have")) ?? absolute;
}

/** Lists the directories in which backups of the files lie, as they are named and where links lead. */
async function listFolders(files: readonly string[]): Promise<string[]> {
  const real = await Promise.all(files.map(toReal));
  return [...new Set([...(await Promise.all(files.map((file) => toReal(dirname(file))))), ...real.map(dirname)])];
}

/** Lists what lies directly in a directory, as far as that can be read. */
async function* listEntries(folder: string): AsyncGenerator<string> {
  const entries = await ignoreRejection(opendir(folder), "a folder that cannot be read has nothing to compare");
  let left = mostCompared;
  for await (const { name } of entries ?? []) {
    left -= 1;
    if (left < 0) return;
    yield join(folder, name);
  }
}

interface ProtectedFile {
  path: string;
  folder: string;
  /** Matches the names of its backups in any directory, and those in its own one that have the mark before the ending. */
  backup: RegExp;
  backupBeside: RegExp;
}

/** Describes a file in lower case. */
function describeFile(file: string): ProtectedFile {
  const path = file.toLowerCase();
  const name = basename(path);
  const ending = extname(name);
  const stem = escapeRegExp(name.slice(0, name.length - ending.length));
  const word = "(?:bak|backup|old|orig|original|copy|save|saved|prev|previous|tmp|temp|swp|swo|rej|dpkg-\\w+|\\d+)";
  const whole = escapeRegExp(name);
  return {
    path,
    folder: dirname(path),
    // `team.json.bak`, `team.json~`, `team.json (1)`, `#team.json#`, `copy of team.json`.
    backup: new RegExp(
      `^(?:${whole}[\\s._(-]*(?:${word}\\b|[~#]).*|[#~]${whole}.*|(?:copy of|backup of|old|bak|backup)[\\s._-]+${whole})$`,
    ),
    // `team.bak.json`, `team (copy).json`, `team-2026-11-01.json`.
    backupBeside: new RegExp(`^${stem}[\\s._~(-]+${word}\\b.*${escapeRegExp(ending)}$`),
  };
}

function isSameOrBackup(real: string, { path, folder, backup, backupBeside }: ProtectedFile): boolean {
  const name = basename(real);
  return real === path || backup.test(name) || (dirname(real) === folder && backupBeside.test(name));
}

async function* listFiles(folder: string): AsyncGenerator<string> {
  let left = mostCompared;
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entries = await ignoreRejection(opendir(path), "a folder that cannot be read has nothing to compare");
    if (entries === undefined) continue;
    for await (const entry of entries) {
      left -= 1;
      if (left < 0) return;
      if (entry.isDirectory()) waiting.push(join(path, entry.name));
      else if (entry.isFile()) yield join(path, entry.name);
    }
  }
}
