import type { AgentEvent } from "../../core/run/events.ts";
import type { RunItem } from "../../core/run/run-state.ts";
import type { Mutable } from "../../kit/mutable.ts";
import { weighJson } from "../bounded-json.ts";

/** Is called for each event, with what it changed in the state of the run. */
export type EventListener = (event: AgentEvent, item: RunItem | undefined) => void;

/** Holds the events of a run so far, and passes new ones on to those who follow it. */
export interface EventLog {
  readonly events: readonly AgentEvent[];
  /** Is the memory that they take, in UTF-16 units. */
  readonly weight: number;
  /** Is when an event was last published, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Returns true while somebody follows the run. */
  hasListeners(): boolean;
  /** Adds an event to the list. No listener is called. */
  add(event: AgentEvent): void;
  /** Calls the listeners with an event: one that was added, or one of a draft, which stands in no list. */
  publish(event: AgentEvent, item: RunItem | undefined): void;
  /** Calls the listener for each event from now on. Returns what ends that. */
  follow(listener: EventListener): () => void;
  /** Begins an empty list. Whoever reads the one before still has it. */
  clear(): void;
  removeListeners(): void;
}

export function createEventLog(): EventLog {
  const listeners = new Set<EventListener>();
  let events: AgentEvent[] = [];
  const log: Mutable<EventLog> = {
    events,
    weight: 0,
    changedAt: Date.now(),
    hasListeners: () => listeners.size > 0,
    add(event) {
      events.push(event);
      log.weight += weighJson(event);
    },
    publish(event, item) {
      log.changedAt = Date.now();
      for (const listener of listeners) listener(event, item);
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    clear() {
      events = [];
      log.events = events;
      log.weight = 0;
    },
    removeListeners: () => listeners.clear(),
  };
  return log;
}
