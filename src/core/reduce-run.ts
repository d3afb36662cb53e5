import { takeStart } from "../kit/text/sanitize.ts";
import type { AgentEvent, PhaseEnd, PlanStep, ToolEnd } from "./events.ts";
import { addUsage, noUsage, type Usage } from "./model.ts";
import type { Citation, ModelBill, Outcome } from "./outcome.ts";

export type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/**
 * Holds everything that the events of a run have told so far. Each interface renders it in its own way. Only `reduceRun` changes
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
  plan: PlanState | undefined;
  readonly answer: AnswerState;
  /** Sums the usage of all turns. */
  usage: Usage;
  /** Counts the turns that decided or planned. */
  iterations: number;
  readonly bills: { readonly function_call: ModelBill; readonly answer: ModelBill };
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
  readonly phase: number;
  readonly startedAt: number;
  progress: EventOf<"tool-progress"> | undefined;
  end: ToolEnd | undefined;
}

export interface EvaluationEntry {
  readonly kind: "evaluation";
  readonly event: EventOf<"evaluation">;
  /** Has the same meaning as in `CallEntry`. */
  readonly phase: number;
  readonly at: number;
}

export interface NoticeEntry {
  readonly kind: "notice";
  readonly event: EventOf<"notice">;
  /** Has the same meaning as in `CallEntry`. */
  readonly phase: number;
  readonly at: number;
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
export type RunItem = RunState | TurnState | TurnEntry | PlanState | AnswerState;

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
    plan: undefined,
    answer: { kind: "answer", turn: undefined, text: "", citations: [] },
    usage: noUsage,
    iterations: 0,
    bills: { function_call: createBill(), answer: createBill() },
    phaseEnds: [],
    noteCount: 0,
    outcome: undefined,
  };
}

/**
 * Applies an event that came at the time `at`. Returns the part of the state that changed, and undefined when the event refers to
 * a call that is not known. It takes the same time however long the run is.
 */
export function reduceRun(state: RunState, event: AgentEvent, at: number): RunItem | undefined {
  switch (event.type) {
    case "run-start":
      return startRun(state, event, at);
    case "phase-start":
      return startTurn(state, event, at);
    case "reasoning-delta":
      return addThought(state, "reasoning", event.text, at);
    case "thought-delta":
      return addThought(state, "thought", event.text, at);
    case "answer-delta":
      return addAnswer(state, event, at);
    case "phase-end":
      return endTurn(state, event, at);
    case "plan":
      state.plan ??= { kind: "plan", steps: [] };
      state.plan.steps = event.steps;
      return state.plan;
    case "tool-start":
      return startCall(state, event, at);
    case "tool-progress":
      return changeCall(state, event.callId, (call) => {
        call.progress = event;
      });
    case "tool-end":
      return changeCall(state, event.callId, (call) => {
        if (call.end === undefined) state.endedCalls.push(call);
        call.end = event;
      });
    case "evaluation":
      return addNote(state, { kind: "evaluation", event, phase: state.turnCount, at });
    case "notice":
      return addNote(state, { kind: "notice", event, phase: state.turnCount, at });
    case "run-end":
      endThought(state, at, !event.outcome.success);
      state.outcome = event.outcome;
      return state;
    default:
      return event satisfies never;
  }
}

function startRun(state: RunState, event: EventOf<"run-start">, at: number): RunState {
  state.start = event;
  state.startedAt = at;
  nameBill(state.bills.function_call, event.models.functionCall);
  nameBill(state.bills.answer, event.models.answer);
  return state;
}

function startTurn(state: RunState, event: EventOf<"phase-start">, at: number): TurnState {
  endThought(state, at);
  state.turnCount += 1;
  return addTurn(state, event, at);
}

function endTurn(state: RunState, event: PhaseEnd, at: number): TurnState {
  endThought(state, at, event.error !== undefined);
  const turn = findTurn(state, at);
  turn.end = event;
  turn.version += 1;
  state.phaseEnds.push(event);
  state.usage = addUsage(state.usage, event.usage);
  if (event.phase !== "answer") state.iterations += 1;
  addToBill(state.bills[event.phase === "answer" ? "answer" : "function_call"], event);
  return turn;
}

function addTurn(state: RunState, start: TurnState["start"], startedAt: number): TurnState {
  const facts = { pieces: 0, hasThought: false, hasAnswered: false, version: 0 };
  const turn: TurnState = { kind: "turn", start, startedAt, entries: [], end: undefined, ...facts };
  state.turns.push(turn);
  return turn;
}

/** Returns the turn that an event belongs to. What comes before any turn belongs to one without a start. */
function findTurn(state: RunState, at: number): TurnState {
  return state.turns.at(-1) ?? addTurn(state, undefined, state.startedAt ?? at);
}

function addEntry<Entry extends TurnEntry>(turn: TurnState, entry: Entry): Entry {
  turn.entries.push(entry);
  turn.version += 1;
  return entry;
}

function addThought(state: RunState, kind: ThoughtPart["kind"], text: string, at: number): ThoughtEntry {
  const turn = findTurn(state, at);
  turn.pieces += 1;
  turn.version += 1;
  const thought = state.thought?.endedAt === undefined && state.thought ? state.thought : startThought(turn, at);
  state.thought = thought;
  const isBlank = !thought.hasWords && text.trim() === "";
  if (!thought.hasWords && !isBlank) {
    thought.hasWords = true;
    thought.startedAt = turn.hasThought ? at : turn.startedAt;
    turn.hasThought = true;
  }
  const part = findPart(thought, kind);
  const kept = thought.leftOut > 0 ? "" : takeStart(text, state.limits.longestThought - thought.size);
  part.text += kept;
  thought.size += kept.length;
  thought.leftOut += text.length - kept.length;
  if (isBlank) part.blank = part.text.length;
  return thought;
}

function startThought(turn: TurnState, startedAt: number): ThoughtEntry {
  const facts = { size: 0, leftOut: 0, hasWords: false, startedAt, endedAt: undefined, isFailed: false };
  return addEntry(turn, { kind: "thought", turn, parts: [], ...facts });
}

function findPart({ parts }: ThoughtEntry, kind: ThoughtPart["kind"]): ThoughtPart {
  const last = parts.at(-1);
  if (last?.kind === kind) return last;
  const part: ThoughtPart = { kind, text: "", blank: 0 };
  parts.push(part);
  return part;
}

function endThought({ thought }: RunState, at: number, isFailed = false): void {
  if (thought === undefined || thought.endedAt !== undefined) return;
  thought.endedAt = at;
  thought.isFailed = isFailed;
}

function addAnswer(state: RunState, { text, citations }: EventOf<"answer-delta">, at: number): AnswerState {
  if (text.trim() !== "") endThought(state, at);
  const turn = state.turns.at(-1);
  if (turn !== undefined) {
    turn.pieces += 1;
    if (!turn.hasAnswered) turn.version += 1;
    turn.hasAnswered = true;
  }
  state.answer.turn = turn;
  state.answer.text += text;
  if (citations !== undefined) state.answer.citations.push(...citations);
  return state.answer;
}

function startCall(state: RunState, start: EventOf<"tool-start">, startedAt: number): CallEntry {
  endThought(state, startedAt);
  const turn = findTurn(state, startedAt);
  const facts = { phase: state.turnCount, startedAt, progress: undefined, end: undefined };
  const call = addEntry(turn, { kind: "call", start, turn, ...facts });
  state.calls.push(call);
  state.callsById.set(start.callId, call);
  return call;
}

function changeCall(state: RunState, callId: string, change: (call: CallEntry) => void): CallEntry | undefined {
  const call = state.callsById.get(callId);
  if (call === undefined) return undefined;
  change(call);
  call.turn.version += 1;
  return call;
}

function addNote<Note extends EvaluationEntry | NoticeEntry>(state: RunState, note: Note): Note {
  state.noteCount += 1;
  if (state.noteCount > state.limits.mostNotes) return note;
  if (note.kind === "notice" && state.turns.length === 0) state.earlyNotices.push(note);
  else addEntry(findTurn(state, note.at), note);
  return note;
}

function createBill(): ModelBill {
  const tokens = { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, cached_tokens: 0 };
  return { provider: "", model: "", calls: 0, ...tokens, elapsed_ms: 0, cost_usd: 0 };
}

function addToBill(bill: ModelBill, { model, usage, elapsedMs, costUsd }: PhaseEnd): void {
  nameBill(bill, model);
  // A sum in which something is not known is not known.
  bill.cost_usd = bill.cost_usd === null || costUsd === null ? null : bill.cost_usd + costUsd;
  bill.calls += 1;
  bill.input_tokens += usage.inputTokens;
  bill.output_tokens += usage.outputTokens;
  bill.reasoning_tokens += usage.reasoningTokens;
  bill.cached_tokens += usage.cachedTokens;
  bill.elapsed_ms += Math.round(elapsedMs);
}

/** Events name models `provider/model`; the model may contain a slash of its own. */
function nameBill(bill: ModelBill, name: string): void {
  const slash = name.indexOf("/");
  bill.provider = slash < 0 ? "" : name.slice(0, slash);
  bill.model = name.slice(slash + 1);
}
