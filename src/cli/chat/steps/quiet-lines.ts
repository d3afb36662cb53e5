import type { AgentEvent } from "../../../core/events.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { type Locale, say } from "../../../kit/errors.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { chatAdvice } from "../../../render/chat-advice.ts";
import { noticeLine, renderBill, renderEvent, renderPhase } from "../../../render/event-lines.ts";
import { renderOutcome } from "../../../render/step-writer.ts";
import { createLine, type Line, type Style } from "../../terminal/text/width.ts";

/** A phase that begins: once for each change of phase or model, with the reason where the answer is to be written. */
export type PhaseLines = (event: Extract<AgentEvent, { type: "phase-start" }>) => Line[];

/** In chat mode the answer model answers from the first word on: no change to tell. */
export function createPhaseLines({ mode, models }: RunStart, locale: Locale): PhaseLines {
  let before = mode === "chat" ? `answer ${models.answer}` : "";
  return (event) => {
    const current = `${event.phase} ${event.model}`;
    if (current === before) return [];
    before = current;
    const title = renderPhase(event, locale);
    const { reason } = event;
    const line =
      event.phase === "answer" ? say(locale, { zh: `${title}：${reason}`, en: `${title}: ${reason}` }) : title;
    return [createLine(sanitizeLine(line), "dim")];
  };
}

type RunStart = Pick<Extract<AgentEvent, { type: "run-start" }>, "mode" | "models">;

/** An evaluation or a notice; what belongs into logs only with `verbose`. */
export function renderQuietLines(event: AgentEvent, locale: Locale, verbose = false): Line[] {
  const line = verbose && event.type === "notice" ? noticeLine(event) : renderEvent(event, locale);
  if (line === undefined) return [];
  const isWarning = event.type === "notice" && event.level === "warning";
  return [createLine(sanitizeLine(line), isWarning ? "warn" : "dim")];
}

/** How a run ended, where that has to be said, and what it used. */
export function renderEnd(outcome: Outcome, locale: Locale): Line[] {
  const style = endStyles[outcome.status] ?? "dim";
  const advice = modeAdvice(outcome, locale);
  return [
    ...renderOutcome(advice === undefined ? outcome : unadvised(outcome, locale), locale).map((line) =>
      createLine(sanitizeLine(line), style),
    ),
    ...(advice === undefined ? [] : [createLine(`  ${advice}`, "dim")]),
    createLine(`  ${sanitizeLine(renderBill(outcome, locale))}`, "dim"),
  ];
}

const endStyles: Partial<Record<Outcome["status"], Style>> = { failed: "bad", partial: "warn" };

/**
 * What to try after a run with tools that failed (model-invocation.md, "Agent 模式错误降级"): it advises, and never switches by
 * itself.
 */
function modeAdvice({ status, meta }: Outcome, locale: Locale): string | undefined {
  if (status !== "failed" || meta.mode === "chat") return undefined;
  return say(locale, {
    zh: "建议用 /mode chat 切换到 Chat 模式再试；模式不会自动切换。",
    en: "You can try Chat mode with /mode chat; the mode is not switched by itself.",
  });
}

/** Without the advice for those who have no commands. */
function unadvised(outcome: Outcome, locale: Locale): Outcome {
  const { error } = outcome;
  const advice = say(locale, chatAdvice);
  if (!error?.hint?.endsWith(advice)) return outcome;
  return { ...outcome, error: { ...error, hint: error.hint.slice(0, -advice.length).trimEnd() || null } };
}
