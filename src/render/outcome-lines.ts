import type { Outcome } from "../core/outcome.ts";
import { type Locale, say } from "../kit/locale.ts";
import { renderError, renderPartial } from "./event-lines.ts";

/** What a reader must know of how a run ended, beside its answer; nothing of one that is complete. */
export function renderOutcome(outcome: Outcome, locale: Locale): string[] {
  const { status, error } = outcome;
  const partial = renderPartial(outcome, locale);
  return [
    partial,
    status === "needs_confirmation" && say(locale, { zh: "⏸ 计划等待确认。", en: "⏸ The plan waits to be confirmed." }),
    status === "cancelled" && say(locale, { zh: "已取消。", en: "Cancelled." }),
    status === "failed" && error && renderError(error),
  ].filter((line) => typeof line === "string");
}
