import type { AgentEvent } from "../../../core/events.ts";
import { isRecord } from "../../../kit/json.ts";
import { toBoundedJson } from "../../../runs/bounded-json.ts";

/** What is new of a run's events, as far as it fits in one answer. */
export interface WatchedEvents {
  /** With neighbouring pieces of a text as one, and what is long cut; without `run-end`, whose outcome is given apart. */
  readonly events: readonly Record<string, unknown>[];
  /** How many of the run's events there are up to the last of these. */
  readonly after: number;
}

/** Of one event, in UTF-16 units of JSON; pieces of a text are joined up to this length. */
const longestEvent = 20_000;
/** Of all in one answer. */
const longestAnswer = 200_000;

export function toWatchedEvents(events: readonly AgentEvent[], seen: number): WatchedEvents {
  const shown: Record<string, unknown>[] = [];
  let after = Math.min(seen, events.length);
  let length = 0;
  let pieces: AgentEvent | undefined;

  function put(event: AgentEvent | undefined): void {
    if (event === undefined) return;
    const json = toBoundedJson(event, longestEvent);
    const bounded: unknown = JSON.parse(json);
    length += json.length;
    if (isRecord(bounded)) shown.push(bounded);
  }

  for (const event of events.slice(after)) {
    if (length > longestAnswer) break;
    after += 1;
    if (event.type === "run-end") continue;
    const joined = pieces && join(pieces, event);
    if (joined === undefined) put(pieces);
    pieces = joined ?? event;
  }
  put(pieces);
  return { events: shown, after };
}

/** Two pieces of one text as one; undefined where they are none, or would be too long. */
function join(a: AgentEvent, b: AgentEvent): AgentEvent | undefined {
  if (a.type === "tool-progress" && b.type === "tool-progress") return a.callId === b.callId ? b : undefined;
  if (!("text" in a && "text" in b) || a.text.length + b.text.length > longestEvent / 4) return undefined;
  const text = a.text + b.text;
  if (a.type === "thought-delta" && b.type === "thought-delta") return { ...a, text };
  if (a.type === "reasoning-delta" && b.type === "reasoning-delta")
    return a.phase === b.phase ? { ...a, text } : undefined;
  if (a.type !== "answer-delta" || b.type !== "answer-delta") return undefined;
  const citations = [...(a.citations ?? []), ...(b.citations ?? [])];
  return { ...a, text, citations: citations.length > 0 ? citations : undefined };
}
