import { createFailure, type Tool, type ToolContext, type ToolResult } from "../core/tools/tool.ts";
import { createTimeLimit, timeoutError, waitAbortable } from "../kit/async/timeout.ts";
import type { JsonObject } from "../kit/json.ts";
import { say } from "../kit/locale.ts";
import { formatCount } from "../kit/text/format-count.ts";
import { takeStart, truncateMiddle } from "../kit/text/truncate.ts";
import { wrapTool } from "./create-tool.ts";

/**
 * Answers `failure("timeout")` after `ms` milliseconds and aborts the tool's signal, even if the tool ignores it. When the
 * caller's own signal aborts, rejects with that signal's reason. The time that `prepare` takes does not count: to load a package
 * for the first time may take a slow machine longer than the call itself.
 */
export function withTimeout(tool: Tool, ms: number, prepare?: (args: JsonObject) => Promise<void>): Tool {
  const limited = { ...tool, callLimits: { ...tool.callLimits, timeoutMs: ms } };
  return wrapTool(limited, async (args, context) => {
    context.signal.throwIfAborted();
    if (prepare !== undefined) await waitAbortable(prepare(args), context.signal);
    const error = timeoutError(tool.name, ms);
    const limit = createTimeLimit(ms, () => error, context.signal);
    try {
      return await waitAbortable(tool.run(args, limitContext(limit.signal, context)), limit.signal);
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (limit.expired) return createFailure("timeout", say(context.locale, error.text));
      throw thrown;
    } finally {
      limit.clear();
    }
  });
}

/** Returns the same context with another signal. Progress that a tool reports after the signal aborted is dropped. */
function limitContext(signal: AbortSignal, context: ToolContext): ToolContext {
  return {
    ...context,
    signal,
    progress(message, progress, total) {
      if (!signal.aborted) context.progress(message, progress, total);
    },
    notice(code, message, level) {
      if (!signal.aborted) context.notice(code, message, level);
    },
  };
}

/**
 * Keeps `characters` of a longer result, head and tail, and says how much is missing. It protects the memory of the
 * process; what a model reads of a result is the agent's business.
 */
export function withOutputLimit(tool: Tool, characters = 2_000_000): Tool {
  return wrapTool(tool, async (args, context) => shorten(await tool.run(args, context), characters, context));
}

function shorten(result: ToolResult, characters: number, { locale }: ToolContext): ToolResult {
  if (result.text.length <= characters) return result;
  const text = truncateMiddle(result.text, characters, (missing) =>
    say(locale, { zh: `…[省略 ${missing} 个字符]…`, en: `…[${formatCount(missing, "character")} left out]…` }),
  );
  return {
    ...result,
    text,
    error: result.error && { ...result.error, message: takeStart(result.error.message, characters) },
  };
}
