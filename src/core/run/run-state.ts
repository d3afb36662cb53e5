import { noUsage, type Usage } from "../model/model.ts";
import type { AgentEvent, Phase, PhaseEnd, PlanStep, ToolEnd } from "./events.ts";
import type { Citation, ModelBill, Outcome } from "./outcome.ts";

export type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/**
 * Holds everything that the events of a run have reported so far. Each interface renders it in its own way. Only `reduceRun` changes
 * it, in place. Times are in milliseconds of the clock that the caller of `reduceRun` uses.
 */
export interface RunState {
  readonly kind: "run";
  readonly limits: RunStateLimits;
  start: EventOf<"run-start"> | undefined;
  startedAt: number | undefined;
  /** Lists the model's turns in order. The first has no `start` when something came before any turn. */
  readonly turns: TurnState[];
  /** Counts the turns that have a `start`. */
  turnCount: number;
  /** Lists the notices that came before anything else. */
  readonly earlyNotices: NoticeEntry[];
  /** Lists the calls in the order in which they started. */
  readonly calls: CallEntry[];
  /** Lists the calls in the order in which they ended. */
  readonly endedCalls: CallEntry[];
  readonly callsById: Map<string, CallEntry>;
  /** Holds the thought that is being written, or else the last one. */
  thought: ThoughtEntry | undefined;
  /** Holds the draft that is being written. */
  draft: DraftState | undefined;
  plan: PlanState | undefined;
  readonly answer: AnswerState;
  /** Sums the usage of all turns. */
  usage: Usage;
  /** Counts the turns that decided or planned. */
  iterations: number;
  readonly bills: Readonly<Record<BillName, ModelBill>>;
  readonly phaseEnds: PhaseEnd[];
  /** Counts the notices and evaluations, including those that are not kept. */
  noteCount: number;
  outcome: Outcome | undefined;
}

export interface RunStateLimits {
  /** Limits what is kept of each thought, in UTF-16 units. The rest is only counted. */
  readonly longestThought: number;
  /** Limits the notices and evaluations that are kept. */
  readonly mostNotes: number;
}

/** Represents one turn of a model and what followed from it. */
export interface TurnState {
  readonly kind: "turn";
  readonly start: EventOf<"phase-start"> | undefined;
  readonly startedAt: number;
  /** Lists what the turn led to, in order. */
  readonly entries: TurnEntry[];
  end: PhaseEnd | undefined;
  /** Counts the pieces of text that the model has written. */
  pieces: number;
  hasThought: boolean;
  /** Is true once the model has begun to write the answer. */
  hasAnswered: boolean;
  /** Grows with each change of the turn or of one of its entries. */
  version: number;
}

export type TurnEntry = ThoughtEntry | CallEntry | EvaluationEntry | NoticeEntry;

/** Represents what a model thinks until it calls a tool, answers or ends its turn. */
export interface ThoughtEntry {
  readonly kind: "thought";
  readonly turn: TurnState;
  /** Lists the text in order. Consecutive pieces of one kind are one part. */
  readonly parts: ThoughtPart[];
  /** Counts the UTF-16 units that are kept. */
  size: number;
  /** Counts the UTF-16 units that are not kept. */
  leftOut: number;
  /** Is true once there is more than white space. */
  hasWords: boolean;
  /** The first thought of a turn starts with the turn, and any other with its first word. */
  startedAt: number;
  endedAt: number | undefined;
  isFailed: boolean;
}

export interface ThoughtPart {
  readonly kind: "reasoning" | "thought";
  text: string;
  /** Counts the UTF-16 units at the start of the text that came in blank pieces before the thought's first word. */
  blank: number;
}

export interface CallEntry {
  readonly kind: "call";
  readonly start: EventOf<"tool-start">;
  readonly turn: TurnState;
  /** Counts the turns that had begun when the call started. */
  readonly turnNumber: number;
  readonly startedAt: number;
  progress: EventOf<"tool-progress"> | undefined;
  /** Lists the steps of the agent that was called, the last ones where there are many. It is absent for other tools. */
  steps?: string[];
  end: ToolEnd | undefined;
}

export interface EvaluationEntry {
  readonly kind: "evaluation";
  readonly event: EventOf<"evaluation">;
  /** Has the same meaning as in `CallEntry`. */
  readonly turnNumber: number;
  readonly at: number;
}

export interface NoticeEntry {
  readonly kind: "notice";
  readonly event: EventOf<"notice">;
  /** Has the same meaning as in `CallEntry`. */
  readonly turnNumber: number;
  readonly at: number;
}

/** Holds text of which it is not known yet what it is. */
export interface DraftState {
  readonly kind: "draft";
  readonly turn: TurnState;
  text: string;
}

export interface PlanState {
  readonly kind: "plan";
  steps: PlanStep[];
}

export interface AnswerState {
  readonly kind: "answer";
  /** Holds the turn that wrote the last piece. */
  turn: TurnState | undefined;
  text: string;
  readonly citations: Citation[];
}

/** Represents a part of the state that one event changed. `run` stands for the start and the end of the whole run. */
export type RunItem = RunState | TurnState | TurnEntry | DraftState | PlanState | AnswerState;

/** Names a part of a run's bill. */
export type BillName = "function_call" | "answer" | "compact";

/** Maps phases to the part of the bill that counts them. Plans are made by the deciding model. */
export const billNames: Readonly<Record<Phase, BillName>> = {
  compact: "compact",
  plan: "function_call",
  decide: "function_call",
  answer: "answer",
};

export function createRunState({
  longestThought = Number.POSITIVE_INFINITY,
  mostNotes = Number.POSITIVE_INFINITY,
}: Partial<RunStateLimits> = {}): RunState {
  return {
    kind: "run",
    limits: { longestThought, mostNotes },
    start: undefined,
    startedAt: undefined,
    turns: [],
    turnCount: 0,
    earlyNotices: [],
    calls: [],
    endedCalls: [],
    callsById: new Map(),
    thought: undefined,
    draft: undefined,
    plan: undefined,
    answer: { kind: "answer", turn: undefined, text: "", citations: [] },
    usage: noUsage,
    iterations: 0,
    bills: { function_call: createBill(), answer: createBill(), compact: createBill() },
    phaseEnds: [],
    noteCount: 0,
    outcome: undefined,
  };
}

function createBill(): ModelBill {
  const tokens = { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, cached_tokens: 0 };
  return { provider: "", model: "", calls: 0, ...tokens, elapsed_ms: 0, cost_usd: 0 };
}
