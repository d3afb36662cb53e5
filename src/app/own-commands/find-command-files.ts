import { readdir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Environment } from "../../config/sources/expand-variables.ts";
import { getConfigDirectory, readText } from "../../config/sources/find-file.ts";
import { getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { findWorkTree } from "../../kit/work-tree.ts";
import { type CommandFile, readCommandFile } from "./command-file.ts";

/** Limits how many files of a folder are read, and the size of one in bytes. */
const mostFiles = 200;
const mostBytes = 64_000;

/** Says which file is not used, and why. */
export interface UnusedFile {
  file: string;
  reason: Text;
}

export interface FoundCommands {
  commands: readonly CommandFile[];
  unused: readonly UnusedFile[];
}

/**
 * Finds the commands that are Markdown files: those of the user in `commands` beside the configuration, then those of the working folder
 * and of the root of its Git work tree, in `.duet/commands`. A folder in there is the first part of the name. Never rejects.
 */
export async function findCommandFiles(folder: string, environment: Environment): Promise<FoundCommands> {
  const commands: CommandFile[] = [];
  const unused: UnusedFile[] = [];
  const users = join(getConfigDirectory(environment), "commands");
  const root = (await findWorkTree(folder)) ?? resolve(folder);
  const projects = [...new Set([resolve(folder), root])].map((place) => join(place, ".duet", "commands"));
  for (const place of [users, ...projects]) {
    const isFromProject = place !== users;
    for (const { file, name } of await listFiles(place)) {
      const read = await readOne({ file, name, isFromProject }, isFromProject ? root : undefined);
      if ("reason" in read) unused.push(read);
      else commands.push(read);
    }
  }
  return { commands, unused };
}

interface NamedFile {
  file: string;
  name: string;
}

async function listFiles(place: string): Promise<NamedFile[]> {
  const list = async (folder: string, before: string): Promise<NamedFile[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const found = entries
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(async (entry): Promise<NamedFile[]> => {
        const file = join(folder, entry.name);
        if (entry.isDirectory()) return before === "" ? list(file, `${entry.name}:`) : [];
        return entry.name.endsWith(".md") ? [{ file, name: `${before}${entry.name.slice(0, -3)}`.toLowerCase() }] : [];
      });
    return (await Promise.all(found)).flat();
  };
  return (await list(place, "")).slice(0, mostFiles);
}

/** Reads a file. One that is a link has to stay below `root`, so that no folder of somebody else names a file elsewhere. */
async function readOne(
  { file, name, isFromProject }: NamedFile & { isFromProject: boolean },
  root: string | undefined,
): Promise<CommandFile | UnusedFile> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.:-]*$/u.test(name)) return { file, reason: badName };
  try {
    const real = await realpath(file);
    if (root !== undefined && !real.startsWith(join(await realpath(root), "/"))) return { file, reason: linkedOut };
    if ((await stat(real)).size > mostBytes) return { file, reason: tooLarge };
    const text = (await readText(real, file)) ?? "";
    const read = await readCommandFile({ name, file: real, text, isFromProject });
    return "problem" in read ? { file, reason: read.problem } : read;
  } catch (thrown) {
    const why = getMessage(thrown);
    return { file, reason: { zh: `无法读取（${why}）`, en: `cannot be read (${why})` } };
  }
}

const badName: Text = {
  zh: "名称不可用（允许：字母、数字、-、_、.）",
  en: "its name is not allowed (allowed: letters, digits, -, _ and .)",
};
const linkedOut: Text = { zh: "链接到了文件夹之外", en: "is a link that leads out of the folder" };
const tooLarge: Text = {
  zh: `太大（允许：最多 ${mostBytes} 字节）`,
  en: `is too large (allowed: at most ${mostBytes} bytes)`,
};
