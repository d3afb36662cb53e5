import { win32 } from "node:path";
import { DuetError } from "../errors.ts";
import { sanitizeLine } from "../text/sanitize.ts";

/** Holds what Windows needs to find a command. */
export interface Search {
  /** Holds the PATH of the child. `extensions` holds its PATHEXT. */
  path: string;
  extensions: string;
  cwd: string;
  isFile(file: string): boolean;
}

/**
 * Refuses arguments that would do something else than stand there: what is no `.exe` or `.com`, Windows runs by cmd.exe,
 * which reads `%`, quotes, `^`, `&`, `|`, `<`, `>` and line ends of the arguments once more, and no way of quoting is
 * safe from all of that (CVE-2024-24576, "BatBadBut"). Throws a `config` error that names the argument.
 */
export function checkBatchArguments(command: string, args: readonly string[], search: Search): void {
  const found = findOnWindows(command, search);
  if (found !== undefined && /\.(?:exe|com)$/i.test(found)) return;
  const words = [command, ...args];
  const at = words.findIndex((word) => /[%"^&|<>\r\n]/.test(word));
  if (at < 0) return;
  const file = found ?? command;
  const where = `${at === 0 ? "command" : `args[${at - 1}]`}: ${JSON.stringify(words[at])}`;
  throw new DuetError({
    code: "config",
    text: {
      zh: sanitizeLine(
        `${where} 无法安全地传给 ${file}，因为 Windows 用 cmd.exe 运行它（不允许：% " ^ & | < > 和换行）`,
      ),
      en: sanitizeLine(
        `${where} cannot be passed safely to ${file}, which Windows runs by cmd.exe (not allowed: % " ^ & | < > and line breaks)`,
      ),
    },
    hint: {
      zh: "请直接写明它背后的程序，例如 node 和脚本的路径。",
      en: "Use the program behind it instead, such as node and the path of its script.",
    },
  });
}

/**
 * Returns the file of a command, as it is or with one of the extensions. Returns undefined when there is none, and the command
 * then counts as one that cmd.exe runs.
 */
function findOnWindows(command: string, { path, extensions, cwd, isFile }: Search): string | undefined {
  const longer = extensions.split(";").flatMap((extension) => (extension === "" ? [] : [command + extension]));
  const names = command.includes(".") ? [command, ...longer] : longer;
  const folders = /[\\/]/.test(command) ? [cwd] : [cwd, ...path.split(win32.delimiter).filter(Boolean)];
  const files = folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name)));
  return files.find(isFile);
}
