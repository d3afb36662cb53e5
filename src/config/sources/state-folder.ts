import { statSync } from "node:fs";
import { dirname } from "node:path";
import { getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { createFolder } from "../../kit/private-file.ts";
import { configError } from "../config-errors.ts";
import type { Environment } from "./expand-variables.ts";

/**
 * Creates the folder that `DUET_HOME` names. Throws a `config` error where that is impossible. The default folder is created when
 * it is first needed instead: where it cannot be, as in a read-only container, conversations last as long as the process.
 */
export function createStateFolder({ home, environment }: { home: string; environment: Environment }): void {
  if (!environment.DUET_HOME) return;
  try {
    createFolder(home);
  } catch (thrown) {
    const reason = describeReason(thrown, home);
    const shown = JSON.stringify(environment.DUET_HOME);
    throw configError(
      "DUET_HOME",
      {
        zh: `${shown} 无法创建：${reason.zh}（允许：已有的文件夹，或可以新建的路径）`,
        en: `${shown} cannot be created: ${reason.en} (allowed: a folder that exists, or a path where one can be created)`,
      },
      thrown,
    );
  }
}

function describeReason(thrown: unknown, path: string): Text {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const nearest = findNearestExisting(path);
  if (code === "EEXIST" || code === "ENOTDIR") return { zh: `${nearest} 不是文件夹`, en: `${nearest} is not a folder` };
  if (code === "EACCES" || code === "EPERM")
    return { zh: `没有在 ${nearest} 中新建的权限`, en: `no permission to create anything in ${nearest}` };
  if (code === "EROFS") return { zh: `${nearest} 是只读的`, en: `${nearest} is read-only` };
  if (code === "ENOENT") return { zh: `${nearest} 中不能新建文件夹`, en: `no folder can be created in ${nearest}` };
  return { zh: getMessage(thrown), en: getMessage(thrown) };
}

function findNearestExisting(path: string): string {
  try {
    statSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : findNearestExisting(dirname(path));
  }
}
