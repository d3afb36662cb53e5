import type { AgentEvent } from "../../core/events.ts";
import type { Locale } from "../../kit/locale.ts";
import { renderEvent } from "../../render/event-lines.ts";
import { createPlanLines } from "../../render/plan-lines.ts";

/**
 * Renders what a run does beside its answer as reasoning, which OpenAI's clients show folded: thoughts are streamed, and each
 * step is a paragraph. Returns the text that an event adds, which is empty for most events.
 */
export function createReasoning(locale: Locale): (event: AgentEvent) => string {
  const planLines = createPlanLines(locale);
  /** Is set while the text ends with a thought of this kind, which may continue. */
  let growing: AgentEvent["type"] | undefined;
  let isBegun = false;

  function toParagraph(text: string): string {
    const gap = isBegun ? "\n\n" : "";
    isBegun = true;
    return gap + text;
  }

  return (event) => {
    if (event.type === "thought-delta" || event.type === "reasoning-delta") {
      const text = growing === event.type ? event.text : event.text.trimStart();
      if (text === "" || growing === event.type) return text;
      growing = event.type;
      return toParagraph(`💭 ${text}`);
    }
    const line = event.type === "plan" ? planLines(event.steps).join("\n") : renderEvent(event, locale);
    if (line === undefined || line === "") return "";
    growing = undefined;
    return toParagraph(line);
  };
}
