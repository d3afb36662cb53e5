import { messageOf } from "../core/errors.ts";
import type { ToolEnd } from "../core/events.ts";
import { say } from "../core/locale.ts";
import type { ToolCall } from "../core/messages.ts";
import { printableLine } from "../core/printable.ts";
import { failure, type Source, type Tool, type ToolContext, type ToolResult } from "../core/tool.ts";
import { abortable } from "../core/waiting.ts";
import type { Run } from "./run.ts";

/** A call and what came of it, as the models read it. */
export interface Observation {
  call: ToolCall;
  result: ToolResult;
  /** The result with its sources under their numbers in this conversation. */
  text: string;
}

const previewLength = 200;

/**
 * Runs the calls of one turn side by side and answers in the order they were asked; those beyond `allowed` are answered
 * with a refusal instead. Never throws.
 */
export async function act(run: Run, calls: readonly ToolCall[], step: number, allowed: number): Promise<Observation[]> {
  const observations: Observation[] = new Array(calls.length);
  const records = calls.map((call) => ({
    tool: call.name,
    arguments: call.arguments ?? call.argumentsText,
    result: "",
    ok: false,
    cached: false,
    elapsed_ms: 0,
  }));
  run.calls.push(...records);
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      const record = records[index];
      if (call === undefined || record === undefined) return;
      const started = performance.now();
      run.emit({ type: "tool-start", callId: call.id, step, tool: call.name, arguments: record.arguments });
      const result = index < allowed ? await runCall(run, call) : failure("tool", say(run.locale, overLimit));
      const numbered = number(run, result);
      const text = numbered ? numbered.map(({ n, source }) => block(n, source)).join("\n\n") : result.text;
      record.result = text;
      record.ok = result.ok;
      record.cached = result.cached ?? false;
      record.elapsed_ms = Math.round(performance.now() - started);
      observations[index] = { call, result, text };
      run.emit({
        type: "tool-end",
        callId: call.id,
        tool: call.name,
        ok: result.ok,
        cached: record.cached,
        preview: preview(text),
        ...found(numbered),
        elapsedMs: record.elapsed_ms,
        error: result.error,
      });
    }
  }
  await Promise.all(Array.from({ length: Math.min(run.limits.maxParallel, calls.length) }, worker));
  return observations;
}

async function runCall(run: Run, call: ToolCall): Promise<ToolResult> {
  const tool = run.tools.get(call.name);
  if (!tool) return unknownTool(run, call.name);
  if (call.arguments === undefined) return unreadableArguments(run, call);
  try {
    return await abortable(tool.run(call.arguments, contextOf(run, call)), run.working);
  } catch (thrown) {
    if (run.cancelled.aborted) return failure("cancelled", say(run.locale, { zh: "已取消", en: "cancelled" }));
    if (run.working.aborted) return failure("timeout", say(run.locale, outOfTime));
    return failure("tool", messageOf(thrown));
  }
}

function contextOf(run: Run, call: ToolCall): ToolContext {
  return {
    signal: run.working,
    locale: run.locale,
    progress: (message, progress, total) =>
      run.emit({ type: "tool-progress", callId: call.id, message: printableLine(message), progress, total }),
    notice: (code, message) => run.emit({ type: "notice", level: "info", code, message }),
  };
}

/** Whether a call got as far as its tool; only those count against the limit. */
export function reachedTool({ result }: Observation): boolean {
  return result.error?.code !== "unknown_tool" && result.error?.code !== "invalid_arguments";
}

const overLimit = {
  zh: "已达到最大工具调用次数，这个调用没有执行。",
  en: "The limit of tool calls is reached; this call was not run.",
};

const outOfTime = {
  zh: "运行时间已用完，没有等到这个工具的结果。",
  en: "The run ran out of time before this tool answered.",
};

function unknownTool(run: Run, name: string): ToolResult {
  const near = nearest(name, run.tools);
  return failure(
    "unknown_tool",
    say(run.locale, {
      zh: `没有名为 ${name} 的工具。${near ? `是不是 ${near}？` : ""}可用的工具：${[...run.tools.keys()].join("、") || "无"}。`,
      en: `There is no tool named ${name}.${near ? ` Did you mean ${near}?` : ""} Tools on offer: ${[...run.tools.keys()].join(", ") || "none"}.`,
    }),
  );
}

/** A tool whose name differs only in case or in its server's prefix; shown, never guessed. */
function nearest(name: string, tools: ReadonlyMap<string, Tool>): string | undefined {
  const wanted = name.toLowerCase();
  return [...tools.keys()].find(
    (known) => known.toLowerCase() === wanted || known.toLowerCase().endsWith(`__${wanted}`),
  );
}

function unreadableArguments(run: Run, call: ToolCall): ToolResult {
  const shown = printableLine(call.argumentsText).slice(0, 80);
  return failure(
    "invalid_arguments",
    say(run.locale, {
      zh: `工具调用参数格式错误：\n- 参数必须是一个 JSON 对象（当前值: ${shown || "空"}）\n\n请修正参数后重试。`,
      en: `The tool call's arguments are not valid:\n- the arguments must be one JSON object (current value: ${shown || "empty"})\n\nCorrect the arguments and try again.`,
    }),
  );
}

interface Numbered {
  n: number;
  source: Source;
}

function number(run: Run, result: ToolResult): Numbered[] | undefined {
  if (!result.ok || result.sources === undefined || result.sources.length === 0) return undefined;
  return result.sources.map((source) => ({ n: run.conversation.sources.number(source), source }));
}

function block(n: number, { title, url, snippet }: Source): string {
  return `[${n}] ${title}\n${url}\n${snippet}`.trimEnd();
}

function found(numbered: Numbered[] | undefined): Pick<ToolEnd, "resultCount" | "top"> {
  if (numbered === undefined) return {};
  const top = numbered.slice(0, 3).map(({ n, source }) => ({
    n,
    title: source.title,
    url: source.url,
    snippet: source.snippet,
  }));
  return { resultCount: numbered.length, top };
}

function preview(text: string): string {
  return printableLine(text.slice(0, 2 * previewLength)).slice(0, previewLength);
}
