import type { Caller } from "../../core/caller.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import type { Text } from "../../kit/locale.ts";

/** A run continues after the request that began it has ended. */
export interface LiveRun {
  readonly id: string;
  readonly question: string;
  readonly caller: Caller;
  /** Is in milliseconds since 1970. */
  readonly startedAt: number;
  /** Holds all events so far, in order. It is emptied some time after the end. */
  readonly events: readonly AgentEvent[];
  /** Is undefined while the run is active. */
  readonly outcome: Outcome | undefined;
  /** Returns what is known so far, with the status `running`, or the outcome once there is one. */
  snapshot(): Outcome;
  /** Stops the model's request and the tools' calls. With `server-ends` the run says that nobody has asked for that. */
  cancel(reason?: "server-ends"): void;
}

/** Holds the runs of the whole process, over all its connections. */
export interface LiveRuns {
  /** Returns the run with this id if it is this caller's and still known. */
  find(id: string, caller: Caller): LiveRun | undefined;
  /** Returns the caller's latest run with this question that is active or has just ended. */
  findLatest(question: string, caller: Caller): LiveRun | undefined;
  /** Returns the caller's known runs, newest first. */
  listRuns(caller: Caller): Iterable<LiveRun>;
  /** Calls `listener` when a run of this caller begins or ends. The returned function stops this. */
  onChange(caller: Caller, listener: () => void): () => void;
}

export function describeUnknownRun(runId: string): Text {
  const shown = JSON.stringify(runId.slice(0, 100));
  return {
    zh: `没有编号为 ${shown} 的运行（允许：agent_ask 的结果中的 run_id）。`,
    en: `There is no run ${shown} (allowed: the run_id of a result of agent_ask).`,
  };
}
