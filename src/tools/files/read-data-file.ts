import { extname } from "node:path";
import { toInvalidArgumentsResult } from "../../core/tools/argument-feedback.ts";
import { createFailure, type Source, type ToolResult } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { resolveRoots, toDisplayedPath, toFileSource, toNotTextResult } from "./allowed-path.ts";
import type { FileAccess } from "./file-guard.ts";
import { toMissingFileResult } from "./missing-file.ts";
import { createDecoder, readStart } from "./read-lines.ts";
import { openFound } from "./walk-files.ts";

export interface DataFile {
  /** Is the path as it is shown. */
  name: string;
  bytes: Buffer;
  /** Is the ending of the file's name in lower case, such as `csv`. */
  ending: string;
  source: Source;
}

/** Returns the parameters of a tool that takes the path of a file or the data themselves. */
export function createDataProperties(locale: Locale) {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  return {
    path: { type: "string", ...describe("文件路径（path 和 data 给一个）", "Path of the file (give path or data)") },
    data: { type: "string", minLength: 1, maxLength: 1_000_000, ...describe("数据原文", "The data as text") },
  };
}

/** Refuses a call that gives both a path and data, or neither. Returns undefined for every other call. */
export function checkDataArguments({ path, data }: JsonObject, locale: Locale): ToolResult | undefined {
  if ((path === undefined) !== (data === undefined)) return undefined;
  const text = { zh: "path 和 data 必须给且只给一个", en: "give either path or data" };
  return toInvalidArgumentsResult(locale, [{ path: "", text }]);
}

/**
 * Reads a whole text file under the roots. What may not be read, is no text or has more than `fileBytes` is answered with a
 * failure for the model: a part of the data would give wrong results.
 */
export async function readDataFile(
  path: string,
  locale: Locale,
  { roots, guard, fileBytes }: FileAccess & { fileBytes: number },
): Promise<DataFile | ToolResult> {
  const real = await resolveRoots(roots);
  const file = await openFound(path, real, guard);
  if (file === undefined) return await toMissingFileResult(path, real, locale, guard);
  try {
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    const { bytes, missing } = await readStart(file.handle, fileBytes);
    if (missing > 0) {
      const [size, most] = [bytes.length + missing, fileBytes].map(formatSize);
      const zh = `${name} 有 ${size}，最多 ${most}`;
      return createFailure("tool", say(locale, { zh, en: `${name} has ${size}; at most ${most} are allowed.` }));
    }
    if (createDecoder(bytes) === undefined) return toNotTextResult(name, locale);
    const ending = extname(file.path).slice(1).toLowerCase();
    return { name, bytes, ending, source: toFileSource(file.path, real) };
  } finally {
    await file.handle.close();
  }
}
