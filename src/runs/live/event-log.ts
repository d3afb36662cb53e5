import type { AgentEvent } from "../../core/events.ts";
import type { RunItem } from "../../core/run-state.ts";
import { weighJson } from "../bounded-json.ts";
import type { RunSnapshot } from "../run-snapshot.ts";

/** Is called for each event, with what it changed in the state of the run. */
export type EventListener = (event: AgentEvent, item: RunItem | undefined) => void;

/** Holds the events of a run so far, and tells new ones to those who follow it. */
export interface EventLog {
  readonly events: readonly AgentEvent[];
  /** Is the memory that they take, in UTF-16 units. */
  readonly weight: number;
  /** Is when something last happened, in milliseconds since 1970. */
  readonly changedAt: number;
  readonly hasFollowers: boolean;
  /** Adds an event to the list and to the snapshot of the run, and returns what it changed there. Nobody is told. */
  add(event: AgentEvent): RunItem | undefined;
  /** Tells an event to the followers: one that was added, or one of a draft, which stands in no list. */
  publish(event: AgentEvent, item: RunItem | undefined): void;
  follow(listener: EventListener): () => void;
  /** Forgets the events. Whoever reads the list still has it. */
  drop(): void;
  /** Forgets the followers, and what the snapshot has collected. */
  close(): void;
}

export function createEventLog(snapshot: Pick<RunSnapshot, "handle" | "close">): EventLog {
  const followers = new Set<EventListener>();
  let events: AgentEvent[] = [];
  let weight = 0;
  let changedAt = Date.now();
  return {
    get events() {
      return events;
    },
    get weight() {
      return weight;
    },
    get changedAt() {
      return changedAt;
    },
    get hasFollowers() {
      return followers.size > 0;
    },
    add(event) {
      events.push(event);
      weight += weighJson(event);
      changedAt = Date.now();
      return snapshot.handle(event);
    },
    publish(event, item) {
      changedAt = Date.now();
      for (const follower of followers) follower(event, item);
    },
    follow(listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
    drop() {
      events = [];
      weight = 0;
    },
    close() {
      followers.clear();
      snapshot.close();
    },
  };
}
