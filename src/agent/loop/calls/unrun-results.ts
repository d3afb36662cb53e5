import type { ToolCall } from "../../../core/model/messages.ts";
import { toInvalidArgumentsResult } from "../../../core/tools/argument-feedback.ts";
import type { MissingServer } from "../../../core/tools/missing-server.ts";
import { createFailure, type Tool, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError, getMessage, toErrorReport } from "../../../kit/errors.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { joinSentences } from "../../../render/event-lines.ts";
import type { Run, RunInput } from "../../run.ts";

// What a model reads in place of a result, where a call was not run or its tool threw.

export function toOverLimitResult(input: RunInput): ToolResult {
  const most = input.limits.maxToolCalls;
  const text = {
    zh: `已达到最大工具调用次数（${most} 次），这个调用没有执行。`,
    en: `The limit of ${formatCount(most, "tool call")} is reached; this call was not run.`,
  };
  return createFailure("tool", say(input.language, text));
}

/** Returns the result of a call beyond the `most` calls that one turn of a model may make. */
export function toOverTurnLimitResult(input: RunInput, most: number): ToolResult {
  const text = {
    zh: `一轮最多执行 ${most} 个工具调用，这个调用没有执行。`,
    en: `At most ${most} tool calls of one turn are run; this call was not run.`,
  };
  return createFailure("tool", say(input.language, text));
}

export function toRepeatedResult(input: RunInput, name: string): ToolResult {
  const text = {
    zh: `${name} 已经用相同的参数调用过，结果也相同，这次没有执行。请使用已有的结果，换一种参数或工具，或者结束工具调用。`,
    en: `${name} was called with these arguments before and gave the same result, so it was not run again. Use the result you have, try other arguments or another tool, or stop calling tools.`,
  };
  return createFailure("tool", say(input.language, text));
}

/** Returns the result of a call that an earlier process of the run may have made. */
export function toUnknownOutcomeResult(input: Pick<RunInput, "language">, name: string): ToolResult {
  const text = {
    zh: `程序在调用 ${name} 期间退出，结果未知：这个调用可能已经生效，没有再次执行。如果需要，请先用其他方法确认，再决定是否重新调用。`,
    en: `The program ended during this call of ${name}, so its outcome is unknown: it may have taken effect, and it was not repeated. Where it matters, check what happened in another way before you call it again.`,
  };
  return createFailure("outcome_unknown", say(input.language, text));
}

export function toStoppedResult(run: Run): ToolResult {
  if (run.services.clock.callerSignal.aborted)
    return createFailure("cancelled", say(run.input.language, { zh: "已取消", en: "cancelled" }));
  const text = {
    zh: "运行时间已用完，没有等到这个工具的结果。",
    en: "The run ran out of time before this tool answered.",
  };
  return createFailure("timeout", say(run.input.language, text));
}

/** Converts what a tool threw to a result, in the run's language where a text for it exists. */
export function toFailedResult(input: RunInput, thrown: unknown): ToolResult {
  if (!(thrown instanceof DuetError)) return createFailure("tool", getMessage(thrown));
  const { code, message, hint } = toErrorReport(thrown, input.language);
  return createFailure(code, joinSentences(message, hint));
}

export function toUnknownToolResult(run: Run, name: string): ToolResult {
  const { catalog, missingServers = [] } = run.services;
  const near = findNearestName(name, catalog.all);
  const names = [...catalog.tools.keys()];
  const what = describeUnknown(
    name,
    missingServers.find(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix))),
  );
  return createFailure(
    "unknown_tool",
    say(run.input.language, {
      zh: `${what.zh}${near ? `是不是 ${near}？` : ""}可用的工具：${names.join("、") || "无"}。`,
      en: `${what.en}${near ? ` Did you mean ${near}?` : ""} Available tools: ${names.join(", ") || "none"}.`,
    }),
  );
}

function describeUnknown(name: string, missing: MissingServer | undefined): Text {
  if (name === "") return { zh: "这个调用没有写工具名。", en: "The call names no tool." };
  if (missing === undefined) return { zh: `没有名为 ${name} 的工具。`, en: `There is no tool named ${name}.` };
  const { zh, en } = missing.why;
  return {
    zh: `现在不能调用 ${name}：${joinSentences(zh, "这个调用没有执行。")}`,
    en: `${name} cannot be called now: ${joinSentences(en, "This call was not run.")}`,
  };
}

/**
 * Finds a tool whose name differs only in case or in its server's prefix. The name is only suggested; the tool is never called
 * in its place.
 */
function findNearestName(name: string, tools: ReadonlyMap<string, Tool>): string | undefined {
  if (name === "") return undefined;
  const wanted = name.toLowerCase();
  return [...tools.keys()].find(
    (known) => known.toLowerCase() === wanted || known.toLowerCase().endsWith(`__${wanted}`),
  );
}

export function toUnreadableArgumentsResult(input: RunInput, call: ToolCall): ToolResult {
  const shown = truncate(sanitizeLine(call.argumentsText), 80);
  const text = {
    zh: `必须是一个 JSON 对象，每个键只出现一次（当前值: ${shown || "空"}）`,
    en: `must be one JSON object with each key once (current value: ${shown || "empty"})`,
  };
  return toInvalidArgumentsResult(input.language, [{ path: "", text }]);
}
