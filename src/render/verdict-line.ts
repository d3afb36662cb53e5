import { isDraftEvent } from "../core/run/drafts.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Locale } from "../kit/locale.ts";
import { removeFinalStop } from "../kit/text/remove-final-stop.ts";
import { renderEvent } from "./event-lines.ts";

/** Says which lines an event brings, and whether they are all that is shown of it. */
export interface VerdictLines {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

/**
 * Joins the verdict that ends the tool calls with the switch to the answer, which comes behind it: one line says why, and names
 * both models. A verdict without such a switch stands alone, before what comes next.
 */
export function createVerdictLine(locale: Locale): (event: AgentEvent) => VerdictLines {
  let from = "";
  let held: string | undefined;

  return (event) => {
    if (event.type === "run-start") from = event.models.functionCall;
    if (event.type === "evaluation" && event.verdict === "answer") {
      held = renderEvent(event, locale);
      return { lines: [], isWhole: true };
    }
    if (held === undefined || event.type === "notice" || isDraftEvent(event)) return { lines: [], isWhole: false };
    const verdict = held;
    held = undefined;
    if (event.type !== "phase-start" || event.phase !== "answer") return { lines: [verdict], isWhole: false };
    const models = from === event.model ? from : `${from} → ${event.model}`;
    return { lines: [`${removeFinalStop(verdict)} · ${models}`], isWhole: true };
  };
}
