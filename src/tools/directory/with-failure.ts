import { inspect } from "node:util";
import { createFailure, type Tool } from "../../core/tools/tool.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { wrapTool } from "../define-tool.ts";

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
