import type { Caller } from "../core/caller.ts";
import type { AgentEvent } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";

/** A run of the agent that lives on when the request that began it is over. */
export interface LiveRun {
  readonly id: string;
  readonly question: string;
  readonly caller: Caller;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  /** All so far, in order; emptied some time after the end. */
  readonly events: readonly AgentEvent[];
  /** How it ended; undefined while it goes on. */
  readonly outcome: Outcome | undefined;
  /** What is known so far, with the status `running`; the outcome once there is one. */
  snapshot(): Outcome;
  /** Stops the model's request and the tools' calls. */
  cancel(): void;
}

/** The runs of the whole process, over all its connections. */
export interface LiveRuns {
  /** The run of that id, where it is this caller's and still known. */
  find(id: string, caller: Caller): LiveRun | undefined;
  /** The caller's last run that goes on, or has just ended, with this question. */
  latest(question: string, caller: Caller): LiveRun | undefined;
  /** The caller's runs that are known, the newest first. */
  of(caller: Caller): Iterable<LiveRun>;
  /** `listener` is told when a run of this caller's begins or ends; until the function that it gives is called. */
  onChange(caller: Caller, listener: () => void): () => void;
}
