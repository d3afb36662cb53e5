import { isDraftEvent } from "../../core/run/drafts.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Locale } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { renderEvent } from "../../render/event-lines.ts";
import { createPlanLines } from "../../render/plan-lines.ts";
import type { ReasoningDetail } from "./answer/answer-request.ts";

export interface ReasoningOptions {
  detail: ReasoningDetail;
  /** Is true where the reader sees text grow. A draft is then shown as a thought while it is one. */
  showsDrafts?: boolean;
}

/**
 * Renders what a run does beside its answer as reasoning, which clients show folded: thoughts are streamed, and each step is a
 * paragraph. A draft is shown as a thought while it is one; if it becomes the answer, its words are said again there. Returns the
 * text that an event adds, which is empty for most events.
 */
export function createReasoning(
  locale: Locale,
  { detail, showsDrafts = false }: ReasoningOptions,
): (event: AgentEvent) => string {
  const planLines = createPlanLines(locale);
  /** Is set while the text ends with a thought of this kind, which may continue. */
  let growing: AgentEvent["type"] | undefined;
  let isBegun = false;
  /** Holds what was said of a draft, until what it was comes. */
  let draft = "";

  function toParagraph(text: string): string {
    const gap = isBegun ? "\n\n" : "";
    isBegun = true;
    return gap + text;
  }

  function addThought(type: AgentEvent["type"], said: string): string {
    const text = growing === type ? said : said.trimStart();
    if (text === "" || growing === type) return text;
    growing = type;
    return toParagraph(`💭 ${text}`);
  }

  /** Returns what a draft that turned out to be a thought has not said of it. */
  function removeDraft(text: string): string {
    const rest = text.startsWith(draft) ? text.slice(draft.length) : "";
    draft = "";
    return rest;
  }

  if (detail === "none") return () => "";
  const isBrief = detail === "brief";
  return (event) => {
    if (isBrief && isThought(event)) return "";
    if (event.type === "draft-delta" && showsDrafts) {
      draft += event.text;
      return addThought(event.type, event.text);
    }
    if (isDraftEvent(event)) return "";
    if (event.type === "thought-delta" && draft !== "") return addThought("draft-delta", removeDraft(event.text));
    if (event.type === "thought-delta" || event.type === "reasoning-delta") return addThought(event.type, event.text);
    draft = "";
    const line = event.type === "plan" ? planLines(event.steps).join("\n") : renderEvent(event, locale);
    if (line === undefined || line === "") return "";
    growing = undefined;
    return toParagraph(isBrief ? toShortLine(line, longestBriefLine) : line);
  };
}

/** Limits a step's line where only that is shown, in characters. */
const longestBriefLine = 100;

function isThought({ type }: AgentEvent): boolean {
  return type === "draft-delta" || type === "thought-delta" || type === "reasoning-delta";
}
