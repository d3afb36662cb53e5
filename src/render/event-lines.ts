import { findLimitRow } from "../core/limits/describe-limit.ts";
import { mapLimits, stoppingLimits } from "../core/limits/limits.ts";
import type { AgentEvent, Notice, Phase } from "../core/run/events.ts";
import type { AgentsBill, ModelUsage, Outcome, OutcomeMeta } from "../core/run/outcome.ts";
import { isLimit } from "../core/run/verdict.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { capitalize } from "../kit/text/capitalize.ts";
import { sanitizeLine, toShortLine } from "../kit/text/sanitize.ts";
import { addCosts, renderCost, renderDollars, toAgentsCost, toModelCost } from "./known-cost.ts";
import { describeRaise, type SettingPlace } from "./limit-advice.ts";

const longestValue = 160;

/**
 * Renders an event as one readable line for any interface. Returns undefined for events that only carry streamed text or that
 * each interface shows in its own way (`run-start`, `run-end`, `plan`, the deltas, drafts), and for notices that belong in logs.
 */
export function renderEvent(event: AgentEvent, locale: Locale): string | undefined {
  switch (event.type) {
    case "phase-start":
      return say(locale, {
        zh: `${renderPhase(event, "zh")}：${event.phase === "decide" ? "思考中... " : ""}${event.reason}`,
        en: `${renderPhase(event, "en")}: ${event.reason}`,
      });
    case "tool-start":
      return `🔧 ${toCallName(event.title ?? event.tool, locale)} ${shortenText(JSON.stringify(event.arguments))}`;
    case "tool-progress":
      return `… ${shortenText(renderProgress(event))}`;
    case "tool-end":
      return renderToolEnd(event, locale);
    case "evaluation":
      // A limit is named at the end of the run.
      return isLimit(event) || event.reason === "calls-used" ? undefined : `⚖ ${event.message}`;
    case "notice":
      return event.forLog ? undefined : noticeLine(event);
    case "answer-restart":
      return `↻ ${say(locale, { zh: "回答重新开始", en: "the answer begins anew" })}`;
    case "run-start":
    case "run-end":
    case "phase-end":
    case "plan":
    case "reasoning-delta":
    case "thought-delta":
    case "draft-start":
    case "draft-delta":
    case "draft-end":
    case "answer-delta":
      return undefined;
    default:
      return event satisfies never;
  }
}

/** Renders a notice as one line, including a notice that belongs only in logs. */
export function noticeLine({ level, message }: Pick<Notice, "level" | "message">): string {
  return `${level === "warning" ? "⚠" : "ℹ"} ${sanitizeLine(message)}`;
}

export function renderPhase({ phase, model }: { phase: Phase; model: string }, locale: Locale): string {
  return `${say(locale, phaseNames[phase])} · ${model}`;
}

export const phaseNames: Record<Phase, Text> = {
  compact: { zh: "🗜 压缩对话", en: "🗜 summarising" },
  plan: { zh: "📋 规划阶段", en: "📋 planning" },
  decide: { zh: "🧭 工具调用阶段", en: "🧭 deciding" },
  answer: { zh: "📝 回答生成阶段", en: "📝 answering" },
};

function renderToolEnd(event: Extract<AgentEvent, { type: "tool-end" }>, locale: Locale): string {
  const name = event.title ?? event.tool;
  const time = `${event.elapsedMs} ms`;
  if (!event.ok) return `✗ ${toCallName(name, locale)} (${time}) ${shortenText(event.error?.message ?? event.preview)}`;
  const cached = event.cached ? say(locale, { zh: "，来自缓存", en: ", cached" }) : "";
  if (event.resultCount === undefined) return `✓ ${name} (${time}${cached}) ${shortenText(event.preview)}`;
  const titles = (event.top ?? []).map(({ n, title }) => `[${n}] ${title}`).join(" ");
  return `✓ ${toResultName(name, locale)} (${time}${cached}) ${renderResultCount(event.resultCount, locale)}: ${shortenText(titles)}`;
}

/** Returns what the reader must know about a partial answer, or undefined when the answer is complete. */
export function renderPartial(
  outcome: Pick<Outcome, "status" | "error" | "stop_reason" | "limit">,
  locale: Locale,
  place: SettingPlace = "setting",
): string | undefined {
  if (outcome.status !== "partial") return undefined;
  const { error, stop_reason: stop } = outcome;
  const { zh, en } = stopReasons[stop];
  const reason = say(locale, { zh: `${zh}。`, en: `${en}.` });
  // A run whose time is over says so itself.
  const met = error?.code === "timeout" ? undefined : findMetLimit(outcome);
  const limit = met ? say(locale, { zh: `${met.zh}。`, en: `${capitalize(met.en)}.` }) : "";
  const advice = describeRaise(outcome, place, locale);
  // The reason and the advice say all of a run whose time is over.
  const isTold = stop === "time_limit" && error?.code === "timeout" && advice !== "";
  const message = error === null || isTold ? "" : sanitizeLine(error.message);
  // What went wrong says more than that something did.
  const sentences = stop === "error" && message ? [message, limit, advice] : [reason, message, limit, advice];
  const line = sentences.filter((sentence) => sentence !== "").reduce(joinSentences);
  return say(locale, { zh: `⚠ 这是不完整的回答：${line}`, en: `⚠ This answer is partial: ${line}` });
}

export const stopReasons: Record<Outcome["stop_reason"], Text> = {
  answered: { zh: "已回答", en: "answered" },
  ...mapLimits(
    stoppingLimits,
    ({ stop }) => stop.stopReason,
    ({ stop }) => stop.partial,
  ),
  repetition: { zh: "检测到重复操作", en: "the same calls repeated" },
  length: { zh: "模型的输出被截断", en: "the model's output was cut off" },
  refused: { zh: "模型拒绝继续", en: "the model refused to go on" },
  error: { zh: "出现错误", en: "an error occurred" },
  confirmation: { zh: "等待确认", en: "waiting for confirmation" },
  running: { zh: "还在运行", en: "still running" },
  cancelled: { zh: "已取消", en: "cancelled" },
};

/** Names the limit that a run met before something else ended it. The stop reason names any other. */
function findMetLimit({ limit, stop_reason }: Pick<Outcome, "limit" | "stop_reason">): Text | undefined {
  const met = stoppingLimits.find(({ key }) => key === findLimitRow(limit?.setting)?.key);
  return met === undefined || met.stop.stopReason === stop_reason ? undefined : met.stop.partial;
}

type Bill = Pick<OutcomeMeta, "models" | "total_tokens" | "latency_ms" | "cost_usd" | "agents">;

const bothRoles: Text = { zh: "决策与回答", en: "decide + answer" };
const decideRole: Text = { zh: "决策", en: "decide" };

/** Is true where the model that decides has also written the answer. */
function isOneModel({ models: { function_call: decide, answer } }: Bill): boolean {
  return answer.calls === 0 && decide.provider === answer.provider && decide.model === answer.model;
}

/** Is true where an answer has come without a token, as the offline rules give it: there is nothing that anybody pays for. */
export function hasNoBill({ status, meta }: { status: Outcome["status"]; meta: Bill }): boolean {
  return status === "complete" && meta.total_tokens === 0 && !meta.agents;
}

/**
 * Renders what each role used: tokens, time and, where prices are known, money. Where one model did everything, its time and
 * money are those of the run, and stand there once.
 */
export function renderBill({ meta }: { meta: Bill }, locale: Locale): string {
  const { function_call: decide, answer, compact } = meta.models;
  const roles = [
    compact && { name: { zh: "压缩对话", en: "summary" }, bill: compact },
    decide.calls > 0 && { name: isOneModel(meta) ? bothRoles : decideRole, bill: decide },
    answer.calls > 0 && { name: { zh: "回答", en: "answer" }, bill: answer },
  ].filter((role) => typeof role === "object");
  const rows = roles.map(({ name, bill }) => ({ name, used: bill.by_model ?? [bill] }));
  const isAlone = rows.length === 1 && rows[0]?.used.length === 1;
  const renderModel = ({ provider, model, calls, elapsed_ms, cost_usd, ...tokens }: ModelUsage): string => {
    const time = isAlone ? "" : ` ${renderSeconds(elapsed_ms)}`;
    const cost = isAlone || cost_usd === null ? "" : ` ${renderDollars(cost_usd)}`;
    const used = `${tokens.input_tokens}→${tokens.output_tokens} tok${renderReasoning(tokens, locale)}`;
    return `${provider}/${model} ×${calls} ${used}${time}${cost}`;
  };
  const parts = [
    ...rows.map(({ name, used }) => `${say(locale, name)} ${used.map(renderModel).join(" + ")}`),
    say(locale, { zh: `共 ${meta.total_tokens} tok`, en: `${meta.total_tokens} tok in total` }),
    renderSeconds(meta.latency_ms),
    renderTotalCost(meta, locale),
    meta.agents && renderAgentsBill(meta.agents, locale),
  ];
  return parts.filter(Boolean).join(" · ");
}

/** Renders how many tokens of the output were reasoning, and how many the output limits allowed for it. Nothing where there were none. */
export function renderReasoning(
  { reasoning_tokens, reasoning_allowance: most }: Pick<ModelUsage, "reasoning_tokens" | "reasoning_allowance">,
  locale: Locale,
): string {
  if (reasoning_tokens === 0) return "";
  return say(locale, {
    zh: `（推理 ${reasoning_tokens}${most === undefined ? "" : `，上限 ${most}`}）`,
    en: ` (${reasoning_tokens} reasoning${most === undefined ? "" : ` of ${most} allowed`})`,
  });
}

/** Returns the cost of the run's own models, or undefined when none of it is known. */
function renderTotalCost({ cost_usd, models, total_tokens }: Bill, locale: Locale): string | undefined {
  if (cost_usd !== null) return renderDollars(cost_usd);
  if (total_tokens === 0) return undefined;
  const { function_call, answer, compact } = models;
  const { usd } = [function_call, answer, ...(compact ? [compact] : [])].map(toModelCost).reduce(addCosts);
  return renderCost({ usd, isWhole: false }, locale);
}

function renderAgentsBill(bill: AgentsBill, locale: Locale): string {
  const name = say(locale, { zh: "子智能体", en: "sub-agents" });
  const cost = renderCost(toAgentsCost(bill), locale);
  return `${name} ×${bill.runs} ${bill.total_tokens} tok${cost === undefined ? "" : ` ${cost}`}`;
}

export function renderSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Joins a message and its hint as sentences on one line. */
export function joinSentences(message: string, hint: string | null): string {
  const line = sanitizeLine(message);
  if (!hint) return line;
  if (/[。！？]$/.test(line)) return line + hint;
  const stop = /[.!?…]$/.test(line) ? " " : /\p{Script=Han}/u.test(line) ? "。" : ". ";
  return `${line}${stop}${hint}`;
}

export function renderError({ message, hint }: { message: string; hint: string | null }): string {
  return `✗ ${joinSentences(message, hint)}`;
}

function shortenText(text: string): string {
  return toShortLine(text, longestValue);
}

/** Limits a tool name, in UTF-16 units. A model may ask for a tool by any name, of any length. */
const longestName = 80;

/** Returns the name of a call's tool; a search gets its name from docs/development/agent-mode.md. */
export function toCallName(tool: string, locale: Locale): string {
  return renderToolName(tool, { zh: "搜索", en: "search" }, locale);
}

/** Returns the name to show once the call has its result. */
export function toResultName(tool: string, locale: Locale): string {
  return renderToolName(tool, { zh: "搜索结果", en: "search results" }, locale);
}

function renderToolName(tool: string, search: Text, locale: Locale): string {
  return tool === "web_search" ? `${say(locale, search)} · ${tool}` : toShortLine(tool, longestName);
}

export function renderResultCount(count: number, locale: Locale): string {
  return say(locale, { zh: `${count} 条结果`, en: count === 1 ? "1 result" : `${count} results` });
}

/** Renders the progress of a call. A server that sends no message still sends numbers. The result is not sanitized. */
export function renderProgress({ message, progress, total }: CallProgress): string {
  if (message) return message;
  return progress === undefined ? "" : renderProgressCounts(progress, total);
}

/** Holds what a call says of its progress. */
export interface CallProgress {
  message: string;
  progress?: number | undefined;
  total?: number | undefined;
}

export function renderProgressCounts(progress: number, total: number | undefined): string {
  return total === undefined ? String(progress) : `${progress}/${total}`;
}
