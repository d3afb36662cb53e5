import type { Tool } from "../../core/tools/tool.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { DroppedTool } from "../collect-tools.ts";

/** Holds what a user's directory provides: its tools, and the files that cannot be used with the reasons. */
export interface LoadedTools {
  tools: Tool[];
  dropped: DroppedTool[];
}

/** Limits the message about one file, in characters. */
const longestLine = 400;

/** Refuses a file in one line that names it. */
export function fileRefusedError(file: string, why: Text, cause?: unknown): DuetError {
  return new DuetError({ code: "config", text: { zh: `${file}: ${why.zh}`, en: `${file}: ${why.en}` }, cause });
}

export function toFileError(file: string, thrown: unknown): DuetError {
  if (thrown instanceof DuetError && thrown.code === "config") return thrown;
  return fileRefusedError(file, toDuetError(thrown).text, thrown);
}

export function toDroppedTool(file: string, source: "user" | "skills", { text }: DuetError): DroppedTool {
  const line = { zh: toShortLine(text.zh, longestLine), en: toShortLine(text.en, longestLine) };
  return { name: toShortLine(file, 100), source, reason: "broken", text: line };
}
