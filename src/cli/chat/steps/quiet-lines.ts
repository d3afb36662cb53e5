import type { AgentEvent } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { replaceChatAdvice } from "../../../render/chat-advice.ts";
import { hasNoBill, noticeLine, renderBill, renderEvent, renderPhase } from "../../../render/event-lines.ts";
import { renderOutcome } from "../../../render/step-writer.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";

/** Renders a line where a phase has more to say than its name, which stands in the line that says what is going on. */
export type PhaseLines = (event: Extract<AgentEvent, { type: "phase-start" }>) => Line[];

/** Returns no line in chat mode, where the answer model writes from the first word and no phase changes. */
export function createPhaseLines({ mode, models }: RunStart, locale: Locale): PhaseLines {
  let before = mode === "chat" ? models.answer : "";
  return (event) => {
    const { phase, model, reason } = event;
    if (phase !== "compact" && phase !== "answer") return [];
    if (phase === "answer") {
      if (reason === "" || model === before) return [];
      before = model;
    }
    const title = renderPhase(event, locale);
    const line = say(locale, { zh: `${title}：${reason}`, en: `${title}: ${reason}` });
    return [createLine(sanitizeLine(line), "dim")];
  };
}

type RunStart = Pick<Extract<AgentEvent, { type: "run-start" }>, "mode" | "models">;

/** Renders an evaluation or a notice; events that belong only in logs need `verbose`. */
export function renderQuietLines(event: AgentEvent, locale: Locale, verbose = false): Line[] {
  const line = verbose && event.type === "notice" ? noticeLine(event) : renderEvent(event, locale);
  if (line === undefined) return [];
  const isWarning = event.type === "notice" && event.level === "warning";
  return [createLine(sanitizeLine(line), isWarning ? "warn" : "dim")];
}

/** Renders what the run used and, unless it ended normally, how it ended. */
export function renderEnd(outcome: Outcome, locale: Locale): Line[] {
  const style = endStyles[outcome.status] ?? "dim";
  const advice = renderModeAdvice(outcome, locale);
  return [
    ...renderOutcome(advice === undefined ? outcome : removeAdvice(outcome, locale), locale, "chat").map((line) =>
      createLine(sanitizeLine(line), style),
    ),
    ...(advice === undefined ? [] : [createLine(`  ${advice}`, "dim")]),
    ...(hasNoBill(outcome) ? [] : [createLine(`  ${sanitizeLine(renderBill(outcome, locale))}`, "dim")]),
  ];
}

const endStyles: Partial<Record<Outcome["status"], Style>> = { failed: "bad", partial: "warn" };

/**
 * Suggests what to try after a run with failed tools (docs/development/model-invocation.md#agent-模式错误降级); it never switches the
 * mode by itself.
 */
function renderModeAdvice({ status, meta }: Outcome, locale: Locale): string | undefined {
  if (status !== "failed" || meta.mode === "chat") return undefined;
  return say(locale, {
    zh: "建议用 /mode chat 切换到 Chat 模式再试；模式不会自动切换。",
    en: "You can try Chat mode with /mode chat; the mode is not switched automatically.",
  });
}

/** Removes the advice to use a chat command, for users of interfaces without commands. */
function removeAdvice(outcome: Outcome, locale: Locale): Outcome {
  const { error } = outcome;
  if (!error?.hint) return outcome;
  return { ...outcome, error: { ...error, hint: replaceChatAdvice(error.hint, locale) || null } };
}
