import type { AgentEvent, PlanStep } from "../../../core/events.ts";
import type { Citation, Outcome, Status } from "../../../core/outcome.ts";
import { addToSteps } from "./add-to-steps.ts";
import type { Confirmation, NoticeItem, RunProblem, StepView } from "./run-view.ts";

/** Holds what a page knows of a run. Events and the outcome may arrive in any order. */
export interface RunState {
  readonly question: string;
  readonly runId: string | undefined;
  readonly notices: readonly NoticeItem[];
  readonly plan: readonly PlanStep[];
  readonly steps: readonly StepView[];
  /** Holds the answer as far as it has been written. */
  readonly written: string;
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

export function createRunState(question = ""): RunState {
  return {
    question,
    runId: undefined,
    notices: [],
    plan: [],
    steps: [],
    written: "",
    cited: [],
    outcome: undefined,
    confirmation: undefined,
    plain: undefined,
    problem: undefined,
  };
}

export function reduceRunState(state: RunState, change: RunChange): RunState {
  switch (change.type) {
    case "asked":
      return createRunState(change.question);
    case "plain": {
      const { text, isFailed } = change;
      return { ...state, plain: { text, isFailed }, confirmation: undefined, problem: undefined };
    }
    case "problem":
      return { ...state, problem: change.problem };
    case "told": {
      const { runId, events, outcome, confirmation } = change;
      const known = state.runId === undefined || state.runId === runId ? state : createRunState(state.question);
      const told = events.reduce(takeEvent, { ...known, runId });
      return { ...told, outcome: outcome ?? told.outcome, confirmation, problem: undefined };
    }
  }
}

function takeEvent(state: RunState, event: AgentEvent): RunState {
  switch (event.type) {
    case "run-start":
      return { ...state, runId: event.runId };
    case "plan":
      return { ...state, plan: event.steps };
    case "answer-delta":
      return {
        ...state,
        steps: state.steps.length === 0 ? state.steps : addToSteps(state.steps, event),
        written: state.written + event.text,
        cited: event.citations === undefined ? state.cited : [...state.cited, ...event.citations],
      };
    case "run-end":
      return { ...state, outcome: event.outcome };
    case "notice": {
      const { level, message, forLog } = event;
      if (forLog) return state;
      if (state.steps.length === 0)
        return { ...state, notices: [...state.notices, { kind: "notice", level, message }] };
      return { ...state, steps: addToSteps(state.steps, event) };
    }
    default:
      return { ...state, steps: addToSteps(state.steps, event) };
  }
}
