import type { AgentEvent } from "./events.ts";

/** Is told to those who ask for drafts, and stored nowhere. */
export type DraftEvent = Extract<AgentEvent, { type: `draft-${string}` }>;

export function isDraftEvent(event: AgentEvent): event is DraftEvent {
  return event.type === "draft-delta" || event.type === "draft-start" || event.type === "draft-end";
}
