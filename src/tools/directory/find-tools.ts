import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { DroppedTool } from "../collect-tools.ts";
import { fileRefusedError, toDroppedTool } from "./broken-tools.ts";

export interface FoundTools {
  modules: string[];
  /** Lists the folders with a `SKILL.md`. */
  skills: string[];
  dropped: DroppedTool[];
}

/**
 * Looks for modules (`.js`, `.mjs`, `.ts`, `.mts`) and for folders with a `SKILL.md`, directly in the directory. What
 * begins with `_` or `.` is left alone, and so are declarations (`.d.ts`) and tests. A directory that is not there is
 * empty.
 */
export async function findTools(directory: string): Promise<FoundTools> {
  const found: FoundTools = { modules: [], skills: [], dropped: [] };
  const names = await readdir(directory).catch((thrown: unknown) => {
    const why = describeUnreadable(thrown);
    if (getErrorCode(thrown) !== "ENOENT")
      found.dropped.push(toDroppedTool(directory, "user", fileRefusedError(directory, why, thrown)));
    return [];
  });
  const wanted = names.filter((name) => !/^[._]/.test(name)).sort();
  await Promise.all(wanted.map((name) => sort(directory, name, found)));
  return { modules: found.modules.sort(), skills: found.skills.sort(), dropped: found.dropped };
}

/** Entries that are neither a module nor a skill are ignored. */
async function sort(directory: string, name: string, { modules, skills, dropped }: FoundTools): Promise<void> {
  const path = join(directory, name);
  const status = await ignoreRejection(stat(path), "a path that cannot be read is no tool");
  if (status?.isDirectory()) {
    const inside = await readdir(path).catch(() => []);
    if (inside.some(isSkillFile)) skills.push(name);
  } else if (isModule(name)) {
    if (status?.isFile()) modules.push(name);
    // A pipe, which might never end, or a link to nowhere.
    else dropped.push(toDroppedTool(name, "user", fileRefusedError(name, { zh: "不是文件", en: "is not a file" })));
  }
}

export function isSkillFile(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

function isModule(name: string): boolean {
  return /\.m?[jt]s$/.test(name) && !/\.d\.m?ts$/.test(name) && !/\.(test|spec)\./.test(name);
}

/** Explains why a tool directory cannot be read, and what it should be. */
export function describeUnreadable(thrown: unknown): Text {
  const code = getErrorCode(thrown) ?? String(thrown);
  return {
    zh: `无法读取：${code}（需要：放工具和技能的文件夹）`,
    en: `cannot be read: ${code} (a folder of tools and skills is needed)`,
  };
}

function getErrorCode(thrown: unknown): string | undefined {
  return isRecord(thrown) && typeof thrown.code === "string" ? thrown.code : undefined;
}
