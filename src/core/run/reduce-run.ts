import { takeStart } from "../../kit/text/truncate.ts";
import { addUsage } from "../model/model.ts";
import type { AgentEvent, PhaseEnd } from "./events.ts";
import type { ModelBill } from "./outcome.ts";
import {
  type AnswerState,
  billNames,
  type CallEntry,
  type DraftState,
  type EvaluationEntry,
  type EventOf,
  type NoticeEntry,
  type RunItem,
  type RunState,
  type ThoughtEntry,
  type ThoughtPart,
  type TurnEntry,
  type TurnState,
} from "./run-state.ts";

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
      endDraft(state);
      return addThought(state, "thought", event.text, at);
    case "draft-start":
    case "draft-delta":
      return addDraft(state, event, at);
    case "draft-end":
      return endDraft(state);
    case "answer-delta":
      return addAnswer(state, event, at);
    case "answer-restart":
      state.answer.text = "";
      state.answer.citations.length = 0;
      return state.answer;
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
        if (event.isStep) call.steps = [...(call.steps ?? []), event.message].slice(-mostAgentSteps);
      });
    case "tool-end":
      return changeCall(state, event.callId, (call) => {
        if (call.end === undefined) state.endedCalls.push(call);
        call.end = event;
      });
    case "evaluation":
      return addNote(state, { kind: "evaluation", event, turnNumber: state.turnCount, at });
    case "notice":
      return addNote(state, { kind: "notice", event, turnNumber: state.turnCount, at });
    case "run-end":
      endDraft(state);
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
  setBillModel(state.bills.function_call, event.models.functionCall);
  setBillModel(state.bills.answer, event.models.answer);
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
  endDraft(state);
  state.phaseEnds.push(event);
  state.usage = addUsage(state.usage, event.usage);
  if (event.phase === "plan" || event.phase === "decide") state.iterations += 1;
  addToBill(state.bills[billNames[event.phase]], event);
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

/** A reader who comes late may know only what follows the start of a draft. */
function addDraft(state: RunState, event: EventOf<"draft-start" | "draft-delta">, at: number): DraftState {
  const turn = findTurn(state, at);
  if (state.draft === undefined || event.type === "draft-start") state.draft = { kind: "draft", turn, text: "" };
  if (event.type === "draft-delta") state.draft.text += event.text;
  turn.version += 1;
  return state.draft;
}

function endDraft(state: RunState): DraftState | undefined {
  const { draft } = state;
  state.draft = undefined;
  if (draft !== undefined) draft.turn.version += 1;
  return draft;
}

function addAnswer(state: RunState, { text, citations }: EventOf<"answer-delta">, at: number): AnswerState {
  // A reader whose connection broke may have missed the end of a draft.
  endDraft(state);
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
  const facts = { turnNumber: state.turnCount, startedAt, progress: undefined, end: undefined };
  const call = addEntry(turn, { kind: "call", start, turn, ...facts });
  state.calls.push(call);
  state.callsById.set(start.callId, call);
  return call;
}

/** Limits the steps that are kept of one called agent. */
const mostAgentSteps = 200;

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

function addToBill(bill: ModelBill, { model, usage, elapsedMs, costUsd, allowance }: PhaseEnd): void {
  setBillModel(bill, model);
  // A sum in which something is not known is not known.
  bill.cost_usd = bill.cost_usd === null || costUsd === null ? null : bill.cost_usd + costUsd;
  bill.calls += 1;
  bill.input_tokens += usage.inputTokens;
  bill.output_tokens += usage.outputTokens;
  bill.reasoning_tokens += usage.reasoningTokens;
  if (allowance !== undefined) bill.reasoning_allowance = (bill.reasoning_allowance ?? 0) + allowance;
  bill.cached_tokens += usage.cachedTokens;
  bill.elapsed_ms += Math.round(elapsedMs);
}

/** Events name models `provider/model`; the model may contain a slash of its own. */
function setBillModel(bill: ModelBill, name: string): void {
  const slash = name.indexOf("/");
  bill.provider = slash < 0 ? "" : name.slice(0, slash);
  bill.model = name.slice(slash + 1);
}
