import type { Chain } from "../core/chain.ts";
import { cutText } from "../core/cut-text.ts";
import { DuetError, messageOf, report } from "../core/errors.ts";
import type { ToolEnd } from "../core/events.ts";
import { invalidArguments } from "../core/feedback.ts";
import { isDeeperThan } from "../core/json.ts";
import { sentences } from "../core/lines.ts";
import { say } from "../core/locale.ts";
import type { ToolCall } from "../core/messages.ts";
import type { ToolCallRecord } from "../core/outcome.ts";
import { printableLine } from "../core/printable.ts";
import { type NumberedSource, pageText, sourceBlocks } from "../core/sources.ts";
import { failure, type RunFacts, type Tool, type ToolContext, type ToolResult } from "../core/tool.ts";
import { abortable } from "../core/waiting.ts";
import type { Run } from "./run.ts";

/** A call and what came of it, as the models read it. */
export interface Observation {
  call: ToolCall;
  result: ToolResult;
  /** The result with its sources under their numbers in this conversation. */
  text: string;
  /** Whether the call got as far as its tool; only those count against the limit. */
  ran: boolean;
  /** Whether it was refused because it would only repeat what is known. */
  isRepeated: boolean;
  /** Whether its result is another than the same call brought before. */
  isNews: boolean;
}

const previewLength = 200;
/** Characters of a failure's message in its event; the models read more of it. */
const longestMessage = 2000;
/** Levels of a call's arguments; no tool of ours or of anybody needs more, and deeper ones break who reads them. */
const deepestArguments = 64;
/** A turn that asks for more is refused the rest, without a word to the reader. */
const mostCallsPerTurn = 50;

/**
 * Runs the calls of one turn side by side and answers in the order they were asked; once `allowed` of them have run, the
 * others are answered with a refusal. Never throws.
 */
export async function act(run: Run, calls: readonly ToolCall[], step: number, allowed: number): Promise<Observation[]> {
  const heard = calls.slice(0, mostCallsPerTurn).map(readable);
  const observations: Observation[] = calls.map((call) => refused(run, call));
  const records = heard.map(toRecord);
  run.calls.push(...records);
  const allowance = createAllowance(allowed);
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < heard.length; index = next++) {
      const call = heard[index];
      const record = records[index];
      if (call && record)
        observations[index] = await observe(run, { call, callId: eventId(run, call.id), record, step, allowance });
    }
  }
  await Promise.all(Array.from({ length: Math.min(run.limits.maxParallel, heard.length) }, worker));
  return observations;
}

/** Arguments that are too deep to be walked through count as ones that cannot be read. */
function readable(call: ToolCall): ToolCall {
  return isDeeperThan(call.arguments, deepestArguments) ? { ...call, arguments: undefined } : call;
}

interface OneCall {
  call: ToolCall;
  /** Names the call in events: the model's id, made unique where the model uses one twice in a run. */
  callId: string;
  record: ToolCallRecord;
  step: number;
  allowance: Allowance;
}

/** How many calls of a turn may still run. */
interface Allowance {
  /** Whether one more may; it counts from then on. */
  take(): boolean;
  /** It did not run after all. */
  giveBack(): void;
}

function createAllowance(allowed: number): Allowance {
  let left = allowed;
  return {
    take: () => left > 0 && left-- > 0,
    giveBack() {
      left += 1;
    },
  };
}

/** One call between its two events. */
async function observe(run: Run, { call, callId, record, step, allowance }: OneCall): Promise<Observation> {
  const started = performance.now();
  run.emit({ type: "tool-start", callId, step, tool: call.name, arguments: record.arguments });
  const isRepeated = run.repetition.isRepeated(call);
  const { result, ran } = isRepeated
    ? { result: repeated(run, call.name), ran: false }
    : await runCall(run, call, callId, allowance);
  const sources = await numbered(run, result);
  const text = readBy(run, result, sources);
  record.result = text;
  record.ok = result.ok;
  record.cached = result.cached ?? false;
  record.elapsed_ms = Math.round(performance.now() - started);
  run.emit({
    type: "tool-end",
    callId,
    step,
    tool: call.name,
    ok: result.ok,
    cached: record.cached,
    preview: cutText(printableLine(text.slice(0, 2 * previewLength)), previewLength),
    ...(result.isPage ? {} : found(sources)),
    elapsedMs: record.elapsed_ms,
    permission: result.permission,
    error: result.error && { ...result.error, message: cutText(result.error.message, longestMessage) },
  });
  const isNews = !isRepeated && run.repetition.learn(call, text);
  return { call, result, text, ran, isRepeated, isNews };
}

/** A result as the models read it: with sources, under their numbers. */
function readBy(run: Run, { text, isPage }: ToolResult, sources: NumberedSource[] | undefined): string {
  const [page] = sources ?? [];
  if (page === undefined || sources === undefined) return run.results.read(text, "text");
  if (isPage) return run.results.read(pageText(page, text), "text");
  return run.results.read(sourceBlocks(sources), "sources");
}

async function runCall(
  run: Run,
  call: ToolCall,
  callId: string,
  allowance: Allowance,
): Promise<Pick<Observation, "result" | "ran">> {
  const tool = run.tools.get(call.name);
  if (!tool) return { result: unknownTool(run, call.name), ran: false };
  if (call.arguments === undefined) return { result: unreadableArguments(run, call), ran: false };
  if (run.working.aborted) return { result: stopped(run), ran: false };
  if (!allowance.take()) return { result: overLimit(run), ran: false };
  const context = contextOf(run, callId);
  try {
    const result = await abortable(tool.run(call.arguments, context), run.working);
    const ran = result.error?.code !== "invalid_arguments";
    if (!ran) allowance.giveBack();
    return { result, ran };
  } catch (thrown) {
    return { result: run.working.aborted ? stopped(run) : failed(run, thrown), ran: true };
  } finally {
    context.close();
  }
}

/** What a tool says after its call has ended is dropped: its events stand between `tool-start` and `tool-end`. */
function contextOf(run: Run, callId: string): ToolContext & { close(): void } {
  let open = true;
  return {
    signal: run.working,
    locale: run.language,
    chain: chainBelow(run),
    approve: run.approve,
    facts: () => factsOf(run),
    progress(message, progress, total) {
      if (!open) return;
      run.emit({ type: "tool-progress", callId, message: printableLine(message), progress, total });
    },
    notice(code, message) {
      if (open) run.emit({ type: "notice", level: "info", code, message });
    },
    close() {
      open = false;
    },
  };
}

function factsOf({ tools, limits, clock, statistics, calls }: Run): RunFacts {
  const { maxToolCalls, maxIterations, tokenBudget } = limits;
  return {
    tools: [...tools.keys()],
    toolCallsLeft: Math.max(0, maxToolCalls - calls.length),
    maxToolCalls,
    maxIterations,
    leftMs: Math.max(0, clock.deadline() - Date.now()),
    tokensLeft: Math.max(0, tokenBudget - statistics.totalTokens()),
  };
}

/** What a call leaves to an agent below: a share of what is left, so that calls side by side stay within it. */
function chainBelow({ depth, clock, limits, statistics }: Run): Chain {
  const left = Math.max(0, limits.tokenBudget - statistics.totalTokens());
  return { depth: depth + 1, deadline: clock.deadline(), budget: Math.floor(left / limits.maxParallel) };
}

function eventId(run: Run, id: string): string {
  let unique = id;
  for (let again = 2; run.callIds.has(unique); again++) unique = `${id}#${again}`;
  run.callIds.add(unique);
  return unique;
}

function toRecord(call: ToolCall): ToolCallRecord {
  return {
    tool: call.name,
    arguments: call.arguments ?? call.argumentsText,
    result: "",
    ok: false,
    cached: false,
    elapsed_ms: 0,
  };
}

function refused(run: Run, call: ToolCall): Observation {
  const result = overLimit(run);
  return { call, result, text: result.text, ran: false, isRepeated: false, isNews: false };
}

function overLimit(run: Run): ToolResult {
  const text = {
    zh: "已达到最大工具调用次数，这个调用没有执行。",
    en: "The limit of tool calls is reached; this call was not run.",
  };
  return failure("tool", say(run.language, text));
}

function repeated(run: Run, name: string): ToolResult {
  const text = {
    zh: `${name} 已经用相同的参数调用过，结果也相同，这次没有执行。请使用已有的结果，换一种参数或工具，或者结束工具调用。`,
    en: `${name} was called with these arguments before and gave the same result, so it was not run again. Use the result you have, try other arguments or another tool, or stop calling tools.`,
  };
  return failure("tool", say(run.language, text));
}

function stopped(run: Run): ToolResult {
  if (run.cancelled.aborted) return failure("cancelled", say(run.language, { zh: "已取消", en: "cancelled" }));
  const text = {
    zh: "运行时间已用完，没有等到这个工具的结果。",
    en: "The run ran out of time before this tool answered.",
  };
  return failure("timeout", say(run.language, text));
}

/** What a tool threw, in the words of the run's language where it has them. */
function failed(run: Run, thrown: unknown): ToolResult {
  if (!(thrown instanceof DuetError)) return failure("tool", messageOf(thrown));
  const { code, message, hint } = report(thrown, run.language);
  return failure(code, sentences(message, hint));
}

function unknownTool(run: Run, name: string): ToolResult {
  const near = nearest(name, run.tools);
  const names = [...run.tools.keys()];
  return failure(
    "unknown_tool",
    say(run.language, {
      zh: `没有名为 ${name} 的工具。${near ? `是不是 ${near}？` : ""}可用的工具：${names.join("、") || "无"}。`,
      en: `There is no tool named ${name}.${near ? ` Did you mean ${near}?` : ""} Tools on offer: ${names.join(", ") || "none"}.`,
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
  const shown = cutText(printableLine(call.argumentsText), 80);
  const text = {
    zh: `必须是一个 JSON 对象（当前值: ${shown || "空"}）`,
    en: `must be one JSON object (current value: ${shown || "empty"})`,
  };
  return invalidArguments(run.language, [{ path: "", text }]);
}

async function numbered(run: Run, { ok, sources = [] }: ToolResult): Promise<NumberedSource[] | undefined> {
  if (!ok || sources.length === 0) return undefined;
  const numbers = await run.conversation.sources.number(sources);
  return sources.map((source, index) => ({ n: numbers[index] ?? 0, source }));
}

function found(sources: NumberedSource[] | undefined): Pick<ToolEnd, "resultCount" | "top"> {
  if (sources === undefined) return {};
  const top = sources.slice(0, 3).map(({ n, source: { title, url, snippet } }) => ({ n, title, url, snippet }));
  return { resultCount: sources.length, top };
}
