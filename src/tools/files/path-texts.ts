import { relative } from "node:path";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Returns the path of a file as the model sees it and can pass it back. It is relative when there is one root, else absolute. */
export function toDisplayedPath(file: string, roots: readonly string[]): string {
  const [only] = roots;
  return roots.length === 1 && only !== undefined ? relative(only, file) || "." : file;
}

/** All paths that may not be read get this same answer. */
export function toPathRefusedResult(path: string, locale: Locale): ToolResult {
  const text = {
    zh: `找不到 ${showValue(path)}：路径必须存在于允许的目录之内，且不是隐藏文件或密钥文件。`,
    en: `${showValue(path)} was not found: a path must exist within the allowed directories, and not be hidden or hold secrets.`,
  };
  return createFailure("tool", say(locale, text));
}

/** Every binary file gets this same answer. `name` comes from `toDisplayedPath` or from the caller. */
export function toNotTextResult(name: string, locale: Locale): ToolResult {
  const shown = sanitizeLine(name);
  return createFailure("tool", say(locale, { zh: `${shown} 不是文本文件。`, en: `${shown} is not a text file.` }));
}
