import type { Status } from "../../core/run/outcome.ts";
import type { AgentTrace, TracePhase, TraceStep } from "../../core/run/trace.ts";
import type { Permission } from "../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import {
  phaseNames,
  renderBill,
  renderError,
  renderReasoning,
  renderSeconds,
  stopReasons,
} from "../../render/event-lines.ts";
import { renderDollars } from "../../render/known-cost.ts";
import { renderPlan } from "../../render/plan-lines.ts";
import { renderTime } from "../../render/render-time.ts";

export interface TraceView {
  locale: Locale;
  /** Shows everything in full instead of one line each. */
  verbose: boolean;
}

const longestValue = 200;

/** Renders a trace for readers. Lines may contain model and tool output, which the caller has to sanitize before printing. */
export function* renderTrace(trace: AgentTrace, view: TraceView): Generator<string> {
  const { locale } = view;
  yield `${trace.run_id} · ${renderTime(trace.started_at)} · ${trace.mode}`;
  yield labelText(labels.question, cutForView(trace.question, view), locale);
  yield labelText(labels.models, renderModels(trace), locale);
  if (trace.plan?.length) yield* renderPlan(trace.plan, locale);
  yield say(locale, labels.steps);
  for (const step of trace.steps) yield* renderStep(step, trace, view);
  if (trace.phases.length > 0) yield* renderSection(labels.phases, renderPhases(trace.phases, locale), locale);
  const tools = Object.entries(trace.used_tools).map(
    ([name, { count, total_ms }]) => `${name} ×${count} ${total_ms} ms`,
  );
  if (tools.length > 0) yield* renderSection(labels.tools, tools, locale);
  const notes = trace.notes.map(
    ({ level, message }) => `${level === "warning" ? "⚠" : "ℹ"} ${cutForView(message, view)}`,
  );
  if (notes.length > 0) yield* renderSection(labels.notes, notes, locale);
  yield* renderEnd(trace, locale);
}

function* renderStep(step: TraceStep, trace: AgentTrace, view: TraceView): Generator<string> {
  const lines = [...renderStepLines(step, trace, view)];
  for (const [index, line] of lines.entries()) yield indentFurtherLines(line, index === 0 ? `${step.step}. ` : "   ");
}

function* renderStepLines(step: TraceStep, trace: AgentTrace, view: TraceView): Generator<string> {
  const { thought, thought_left_out, action, permission, elapsed_ms, error } = step;
  const { observation, observation_left_out, tool_output } = step;
  if (thought) yield `💭 ${cutForView(thought, view)}${describeLeftOut(thought_left_out, view.locale)}`;
  if (action?.type === "action") {
    const cached = step.cached ? say(view.locale, { zh: "，来自缓存", en: ", cached" }) : "";
    yield `🔧 ${sanitizeLine(action.tool)} ${cutForView(JSON.stringify(action.args), view)}`;
    if (permission && permission.decision !== "allowed")
      yield `🔐 ${say(view.locale, decisions[permission.decision])} · ${sanitizeLine(permission.rule)}`;
    for (const line of step.agent_steps ?? []) yield `↳ ${cutForView(line, view)}`;
    const result = `${cutForView(observation, view)}${describeLeftOut(observation_left_out, view.locale)}`;
    yield `${error === undefined ? "✓" : "✗"} ${elapsed_ms} ms${cached} ${result}`.trimEnd();
    if (view.verbose && tool_output !== undefined && tool_output !== observation)
      yield `${say(view.locale, labels.output)} ${cutForView(tool_output, view)}${describeLeftOut(step.tool_output_left_out, view.locale)}`;
    return;
  }
  if (action) yield `📝 ${renderSeconds(elapsed_ms)} ${cutForView(trace.final_answer, view)}`;
  else yield `✗ ${say(view.locale, { zh: "没有回答", en: "no answer" })}`;
}

/** Renders one line per turn, and a total for a phase with several turns. */
function renderPhases(phases: readonly TracePhase[], locale: Locale): string[] {
  const turns = phases.map(
    (turn) => `${say(locale, phaseNames[turn.phase])} ${turn.step} · ${turn.model} ${renderUsage(turn, locale)}`,
  );
  const sums = Map.groupBy(phases, ({ phase }) => phase)
    .entries()
    .filter(([, group]) => group.length > 1)
    .map(
      ([phase, group]) =>
        `Σ ${say(locale, phaseNames[phase])} ×${group.length} ${renderUsage(group.reduce(add), locale)}`,
    );
  return [...turns, ...sums];
}

function add(a: TracePhase, b: TracePhase): TracePhase {
  return {
    ...a,
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    reasoning_allowance: (a.reasoning_allowance ?? 0) + (b.reasoning_allowance ?? 0) || undefined,
    elapsed_ms: a.elapsed_ms + b.elapsed_ms,
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
  };
}

function renderUsage(turn: TracePhase, locale: Locale): string {
  const { input_tokens, output_tokens, elapsed_ms, cost_usd } = turn;
  const cost = cost_usd === null ? "" : ` ${renderDollars(cost_usd)}`;
  return `${input_tokens}→${output_tokens} tok${renderReasoning(turn, locale)} ${renderSeconds(elapsed_ms)}${cost}`;
}

function* renderEnd(trace: AgentTrace, locale: Locale): Generator<string> {
  const { models, token_usage, total_ms, cost_usd, agents, status, finish_reason, error } = trace;
  const meta = { models, total_tokens: token_usage.total_tokens, latency_ms: total_ms, cost_usd, agents };
  yield labelText(labels.used, renderBill({ meta }, locale), locale);
  const reason = say(locale, stopReasons[finish_reason]);
  const [open, close] = locale === "zh" ? ["（", "）"] : [" (", ")"];
  yield labelText(labels.traceId, trace.trace_id, locale);
  yield labelText(labels.end, `${say(locale, statuses[status])}${open}${reason}${close}`, locale);
  if (error) yield renderError(error);
}

function renderModels({ models }: AgentTrace): string {
  const names = [models.function_call, models.answer].map(({ provider, model }) => `${provider}/${model}`);
  return sanitizeLine([...new Set(names)].join(" → "));
}

function* renderSection(name: Text, lines: readonly string[], locale: Locale): Generator<string> {
  yield say(locale, name);
  for (const line of lines) yield indentFurtherLines(line, "  ");
}

function labelText(name: Text, text: string, locale: Locale): string {
  return `${say(locale, name)}${locale === "zh" ? "：" : ": "}${text}`;
}

function cutForView(text: string, { verbose }: TraceView): string {
  return verbose ? text.trim() : truncate(sanitizeLine(text.slice(0, 4 * longestValue)), longestValue);
}

function describeLeftOut(characters: number | undefined, locale: Locale): string {
  if (characters === undefined) return "";
  return say(locale, { zh: `…[未保留 ${characters} 个字符]`, en: ` …[${characters} characters were not kept]` });
}

/** Indents every further line of a text to the column of its first. */
function indentFurtherLines(text: string, first: string): string {
  return `${first}${text.replaceAll("\n", `\n${" ".repeat(first.length)}`)}`;
}

const labels = {
  question: { zh: "问题", en: "Question" },
  models: { zh: "模型", en: "Models" },
  steps: { zh: "步骤", en: "Steps" },
  phases: { zh: "阶段", en: "Phases" },
  tools: { zh: "工具", en: "Tools" },
  output: { zh: "📦 工具的原始输出", en: "📦 raw tool output" },
  notes: { zh: "备注", en: "Notes" },
  used: { zh: "用量", en: "Usage" },
  traceId: { zh: "追踪编号", en: "Trace id" },
  end: { zh: "结束", en: "Ended" },
} satisfies Record<string, Text>;

const decisions: Record<Permission["decision"], Text> = {
  allowed: { zh: "允许", en: "allowed" },
  approved: { zh: "用户已批准", en: "approved" },
  declined: { zh: "用户未批准", en: "declined" },
  dismissed: { zh: "用户关闭了对话框", en: "dismissed" },
  unanswered: { zh: "无人答复", en: "nobody answered" },
  denied: { zh: "禁止", en: "denied" },
};

const statuses: Record<Status, Text> = {
  complete: { zh: "完整的回答", en: "a complete answer" },
  partial: { zh: "不完整的回答", en: "a partial answer" },
  failed: { zh: "失败", en: "failed" },
  cancelled: { zh: "已取消", en: "cancelled" },
  running: { zh: "进行中", en: "running" },
  needs_confirmation: { zh: "等待确认", en: "waiting for confirmation" },
};
