import { inspect } from "node:util";
import { createFailure, type Tool } from "../../core/tools/tool.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { DroppedTool } from "../collect-tools.ts";
import { wrapTool } from "../create-tool.ts";

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

/** Makes what a tool throws its failed result, which names `where`; only the end of the caller's signal is still thrown. */
export function withFailure(tool: Tool, where: string): Tool {
  return wrapTool(tool, async (args, context) => {
    try {
      return await tool.run(args, context);
    } catch (thrown) {
      context.signal.throwIfAborted();
      return createFailure("tool", say(context.locale, describeThrown(thrown, where)));
    }
  });
}

function describeThrown(thrown: unknown, where: string): Text {
  const message = thrown instanceof Error ? thrown.message || thrown.name : thrown;
  if (typeof message === "string" && message !== "") return { zh: message, en: message };
  const shown = toShortLine(inspect(thrown), 300);
  return {
    zh: `${where}：run 抛出了 ${shown}（允许：Error、非空文本）`,
    en: `${where}: run threw ${shown} (allowed: an Error, a non-empty string)`,
  };
}
