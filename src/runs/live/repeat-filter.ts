import { isTakeoverNotice } from "../../core/notices/outcome-notices.ts";
import { type DraftEvent, isDraftEvent } from "../../core/run/drafts.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Citation } from "../../core/run/outcome.ts";

/** Leaves out of the events of a run that goes on what its readers have already received. */
export interface RepeatFilter {
  /** Returns what readers have to be told of the next event of the run. */
  filter(event: AgentEvent): AgentEvent[];
}

type Delta = Exclude<Extract<AgentEvent, { text: string }>, DraftEvent>;

/**
 * A run that goes on tells again what its records say, from its first event on. Each event that is told already is left out once. Text
 * is left out as far as it is the same; an answer that goes on otherwise begins anew after `answer-restart`.
 */
export function createRepeatFilter(told: readonly AgentEvent[]): RepeatFilter {
  const counts = new Map<string, number>();
  const texts: Record<Delta["type"], string> = { "answer-delta": "", "thought-delta": "", "reasoning-delta": "" };
  for (const event of told) {
    if (event.type === "answer-restart") texts["answer-delta"] = "";
    else if (isDraftEvent(event)) continue;
    else if ("text" in event) texts[event.type] += event.text;
    else counts.set(toKey(event), (counts.get(toKey(event)) ?? 0) + 1);
  }
  const thoughts = {
    "thought-delta": createToldText(texts["thought-delta"]),
    "reasoning-delta": createToldText(texts["reasoning-delta"]),
  };
  const answer = createToldText(texts["answer-delta"]);
  let citations: Citation[] = [];

  function filterAnswer(event: Extract<AgentEvent, { type: "answer-delta" }>): AgentEvent[] {
    if (answer.isOver) return [event];
    citations = [...citations, ...(event.citations ?? [])];
    const rest = answer.compare(event.text);
    if (rest.is === "told") return [];
    if (rest.is === "new") return [{ ...event, text: rest.text }];
    return restart(rest.whole);
  }

  function restart(text: string): AgentEvent[] {
    const cited = citations.length > 0 ? { citations } : {};
    return [{ type: "answer-restart" }, ...(text === "" ? [] : [{ type: "answer-delta", text, ...cited } as const])];
  }

  function filterThought(event: Exclude<Delta, { type: "answer-delta" }>): AgentEvent[] {
    const told = thoughts[event.type];
    if (told.isOver) return [event];
    const rest = told.compare(event.text);
    if (rest.is === "told") return [];
    return [{ ...event, text: rest.is === "new" ? rest.text : rest.sinceMark }];
  }

  return {
    filter(event) {
      if (event.type === "answer-restart" || isDraftEvent(event)) return [event];
      // Each process that goes on with the run tells so by itself.
      if (event.type === "notice" && isTakeoverNotice(event)) return [event];
      if (event.type === "answer-delta") return filterAnswer(event);
      if ("text" in event) return filterThought(event);
      if (event.type === "phase-start") for (const each of Object.values(thoughts)) each.mark();
      // The new answer may be shorter than what was told of the earlier one.
      const shorter = event.type === "run-end" && !answer.isOver ? answer.finish() : undefined;
      const restarted = shorter === undefined ? [] : restart(shorter);
      const key = toKey(event);
      const left = counts.get(key) ?? 0;
      if (left === 0) return [...restarted, event];
      counts.set(key, left - 1);
      return restarted;
    },
  };
}

type Comparison =
  | { is: "told" }
  | { is: "new"; text: string }
  /** Holds all text so far, and that since the last mark. */
  | { is: "other"; whole: string; sinceMark: string };

/** Compares a text that comes in pieces with one that was told. */
function createToldText(told: string) {
  let said = "";
  let marked = 0;
  let isOver = told === "";
  return {
    get isOver() {
      return isOver;
    },
    mark() {
      marked = said.length;
    },
    compare(text: string): Comparison {
      said += text;
      if (told.startsWith(said)) {
        if (said.length === told.length) isOver = true;
        return { is: "told" };
      }
      isOver = true;
      if (said.startsWith(told)) return { is: "new", text: said.slice(told.length) };
      return { is: "other", whole: said, sinceMark: said.slice(marked) };
    },
    /** Returns all text where more was told than came. */
    finish(): string | undefined {
      isOver = true;
      return said;
    },
  };
}

/** Returns a text by which an event is known again, whatever its times are. */
function toKey(event: Exclude<AgentEvent, Delta | DraftEvent>): string {
  switch (event.type) {
    case "tool-start":
    case "tool-end":
      return `${event.type} ${event.callId}`;
    case "tool-progress":
      return `${event.type} ${event.callId} ${event.message}`;
    case "phase-start":
    case "phase-end":
      return `${event.type} ${event.phase} ${event.step}`;
    case "evaluation":
      return `${event.type} ${event.verdict} ${event.reason} ${event.message}`;
    case "notice":
      return `${event.type} ${event.code} ${event.message}`;
    case "plan":
      return `${event.type} ${JSON.stringify(event.steps)}`;
    case "run-start":
    case "run-end":
    case "answer-restart":
      return event.type;
    default:
      return event satisfies never;
  }
}
