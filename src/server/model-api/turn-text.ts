import type { AgentEvent } from "../../core/run/events.ts";

/** Collects what a model says beside its calls, which the client of a model's API expects as text and the run tells as thoughts. */
export interface TurnText {
  take(event: AgentEvent): void;
  /** Returns what the turn has said so far in which the run is, without its reasoning. */
  getText(): string;
}

export function createTurnText(): TurnText {
  let text = "";
  return {
    take(event) {
      if (event.type === "phase-start" && event.phase === "decide") text = "";
      else if (event.type === "thought-delta") text += event.text;
    },
    getText: () => text.trim(),
  };
}
