import type { AgentEvent } from "../../../core/run/events.ts";
import type { Citation, Outcome, Status } from "../../../core/run/outcome.ts";
import { reduceRun } from "../../../core/run/reduce-run.ts";
import { createRunState as createToldState, type RunState as ToldState } from "../../../core/run/run-state.ts";
import type { Confirmation, RunProblem, RunView } from "./run-view.ts";

/** Holds what a page knows of a run. Events and the outcome may arrive in any order. */
export interface PageRunState {
  readonly question: string;
  readonly runId: string | undefined;
  /** Holds what the events have reported. It grows in place. */
  readonly current: ToldState;
  /** Holds the steps of an older run, whose events are not known any more. */
  readonly storedSteps: StoredSteps | undefined;
  /** Holds the sources of an answer whose events are not known any more. */
  readonly cited: readonly Citation[];
  /** Is set once the run is over. */
  readonly outcome: Outcome | undefined;
  readonly confirmation: Confirmation | undefined;
  /** Holds the end of a run of which only the text, and possibly the status, is known. */
  readonly plain:
    | { readonly text: string; readonly isFailed: boolean; readonly status?: Status | undefined }
    | undefined;
  readonly problem: RunProblem | undefined;
}

/** Holds the steps as a stored trace tells them. */
export type StoredSteps = Pick<RunView, "notices" | "plan" | "steps">;

export type RunChange =
  | { readonly type: "asked"; readonly question: string }
  | {
      readonly type: "told";
      readonly runId: string;
      readonly events: readonly AgentEvent[];
      readonly outcome?: Outcome | undefined;
      readonly confirmation?: Confirmation | undefined;
    }
  | { readonly type: "plain"; readonly text: string; readonly isFailed: boolean }
  | { readonly type: "problem"; readonly problem: RunProblem };

export function createPageRunState(question = ""): PageRunState {
  return {
    question,
    runId: undefined,
    current: createToldState(),
    storedSteps: undefined,
    cited: [],
    outcome: undefined,
    confirmation: undefined,
    plain: undefined,
    problem: undefined,
  };
}

/** Applies a change. The events that `state` already holds belong to the returned state from then on. */
export function reducePageRun(state: PageRunState, change: RunChange): PageRunState {
  switch (change.type) {
    case "asked":
      return createPageRunState(change.question);
    case "plain": {
      const { text, isFailed } = change;
      return { ...state, plain: { text, isFailed }, confirmation: undefined, problem: undefined };
    }
    case "problem":
      return { ...state, problem: change.problem };
    case "told": {
      const { runId, events, confirmation } = change;
      const known = state.runId === undefined || state.runId === runId ? state : createPageRunState(state.question);
      const { current: told } = known;
      const before = told.outcome;
      for (const event of events) reduceRun(told, event, performance.now());
      const outcome = change.outcome ?? (told.outcome === before ? known.outcome : told.outcome);
      return { ...known, runId: told.start?.runId ?? runId, outcome, confirmation, problem: undefined };
    }
  }
}
