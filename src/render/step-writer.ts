import { isDraftEvent } from "../core/run/drafts.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { truncate } from "../kit/text/truncate.ts";
import { hasNoBill, noticeLine, renderBill, renderError, renderEvent, renderPartial } from "./event-lines.ts";
import { renderCallsUsed, type SettingPlace } from "./limit-advice.ts";
import { createPlanLines } from "./plan-lines.ts";
import { createVerdictLine } from "./verdict-line.ts";

export interface StepWriterOptions {
  /** Takes one line, or a whole call; it is not cleaned yet. */
  write(line: string): void;
  locale: Locale;
  /** Is true when whole thoughts are shown, and each call's whole input and output. */
  verbose: boolean;
  /** Says how the reader changes settings. */
  place?: SettingPlace;
}

/**
 * Returns a log line that says that a thought was folded, and which event folded it
 * (docs/development/model-invocation.md#状态转换触发).
 */
export function toTransitionLine(cause: AgentEvent, locale: Locale): string {
  const { zh, en } = foldCauses[cause.type] ?? { zh: cause.type, en: cause.type };
  return say(locale, { zh: `· 思考状态：展开 → 折叠（${zh}）`, en: `· thought: open -> folded (${en})` });
}

const foldCauses: Partial<Record<AgentEvent["type"], Text>> = {
  "answer-delta": { zh: "收到第一个正式回答片段", en: "the first piece of the answer arrived" },
  "thought-delta": { zh: "开始另一段思考", en: "another thought began" },
  "reasoning-delta": { zh: "开始另一段思考", en: "another thought began" },
  "tool-start": { zh: "开始调用工具", en: "a tool call began" },
  "phase-start": { zh: "开始下一阶段", en: "the next phase began" },
  "phase-end": { zh: "这一轮结束", en: "the turn ended" },
  plan: { zh: "收到计划", en: "a plan arrived" },
  "run-end": { zh: "运行结束", en: "the run ended" },
};

/** Limits what is shown of the words with which a function-call model ends, in UTF-16 units. */
const longestLastWords = 80;

/** Writes everything of a run except its answer, one line each: steps, models, results, and at the end its outcome and usage. */
export function createStepWriter({
  write,
  locale,
  verbose,
  place = "setting",
}: StepWriterOptions): (event: AgentEvent) => void {
  const planLines = createPlanLines(locale);
  const renderVerdict = createVerdictLine(locale);
  /** Holds the thought or reasoning that is still being streamed. */
  let thinking = "";
  /** Is the type of the event that last extended the thought. */
  let growing: AgentEvent["type"] | undefined;

  function closeThought(next: AgentEvent): void {
    const thought = sanitizeLine(thinking);
    thinking = "";
    if (thought === "") return;
    // Last words are no thought beside a call: the answer model says the same at length.
    const isLast = growing === "thought-delta" && next.type === "phase-end" && next.finish === "stop";
    write(`💭 ${verbose ? thought : truncate(thought, isLast ? longestLastWords : 300)}`);
    if (verbose) write(toTransitionLine(next, locale));
  }

  function end(outcome: Outcome): void {
    if (verbose) for (const call of outcome.tool_calls) write(callInFull(call));
    for (const line of renderOutcome(outcome, locale, place)) write(line);
    if (!hasNoBill(outcome)) write(`  ${renderBill(outcome, locale)}`);
  }

  return (event) => {
    if (isDraftEvent(event)) return;
    if (event.type === "thought-delta" || event.type === "reasoning-delta") {
      thinking += growing === event.type || thinking === "" ? event.text : `\n${event.text}`;
      growing = event.type;
      return;
    }
    closeThought(event);
    const verdict = renderVerdict(event);
    for (const line of verdict.lines) write(line);
    if (verdict.isWhole) return;
    if (event.type === "run-end") end(event.outcome);
    if (event.type === "plan") for (const line of planLines(event.steps)) write(line);
    const line = verbose ? renderFullLine(event, locale) : renderEvent(event, locale);
    if (line !== undefined) write(line);
  };
}

function renderFullLine(event: AgentEvent, locale: Locale): string | undefined {
  if (event.type === "tool-start") return renderInput(event);
  return event.type === "notice" ? noticeLine(event) : renderEvent(event, locale);
}

function renderInput({ tool, arguments: args }: Extract<AgentEvent, { type: "tool-start" }>): string {
  return sanitizeLine(`🔧 ${tool} ${JSON.stringify(args)}`);
}

function callInFull(call: Outcome["tool_calls"][number]): string {
  return `── ${call.tool} ${JSON.stringify(call.arguments)}\n${call.result}`;
}

/** Returns what the reader must know about how a run ended, apart from its answer. A complete run has no lines. */
export function renderOutcome(outcome: Outcome, locale: Locale, place: SettingPlace = "setting"): string[] {
  const { status, error } = outcome;
  return [
    renderPartial(outcome, locale, place),
    renderCallsUsed(outcome, place, locale),
    status === "needs_confirmation" &&
      say(locale, { zh: "⏸ 计划等待确认。", en: "⏸ The plan is waiting for confirmation." }),
    status === "cancelled" && say(locale, { zh: "已取消。", en: "Cancelled." }),
    status === "failed" && error && renderError(error),
  ].filter((line) => typeof line === "string");
}
