import type { PlanStep, Verdict } from "../../../../core/events.ts";
import type { TraceNote, TracePhase, TraceStep } from "../../../../core/trace.ts";
import { emptyStep } from "../../run/add-to-steps.ts";
import type { NoticeItem, StepItem, StepView } from "../../run/run-view.ts";
import { isTrace, type TraceFields } from "./trace-fields.ts";

/** What a run did, as its trace tells it. */
export interface TraceSteps {
  readonly notices: readonly NoticeItem[];
  readonly plan: readonly PlanStep[];
  readonly steps: readonly StepView[];
}

/** The steps of a trace from outside, as they were when it ran; undefined where it is none. */
export function readTrace(value: unknown): TraceSteps | undefined {
  if (!isTrace(value)) return undefined;
  const { phases, plan = [] } = value;
  const turns = phases.length > 0 ? phases.map(turnOf) : [emptyStep];
  const told = [...value.steps.flatMap(callOf), ...value.notes.map(noteOf)];
  const usual = phases.findLastIndex(({ phase }) => phase !== "answer") + 1;
  const placed = told.map(({ phase = usual, ...rest }) => ({ ...rest, phase }));
  const steps = turns.map((turn, index) => {
    const own = placed.filter(({ phase }) => phase === index + 1 || (phases.length === 0 && phase === 0));
    const items = own.toSorted((one, other) => one.time.localeCompare(other.time)).map(({ item }) => item);
    return { ...turn, items, thought: own.find(({ thought }) => thought !== "")?.thought ?? "" };
  });
  const early = phases.length === 0 ? [] : placed.filter(({ phase }) => phase === 0);
  return {
    notices: early.flatMap(({ item }) => (item.kind === "notice" ? [item] : [])),
    plan,
    steps: withLastThought(steps, value).filter(hasSomething),
  };
}

interface Told {
  /** From 1 on; 0 before the first turn; undefined in older traces. */
  readonly phase: number | undefined;
  readonly time: string;
  readonly thought: string;
  readonly item: StepItem;
}

function turnOf({ phase, step, model, input_tokens, output_tokens, elapsed_ms, cost_usd }: TracePhase): StepView {
  const end = {
    elapsedMs: elapsed_ms,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    costUsd: cost_usd,
    isFailed: false,
  };
  return { ...emptyStep, phase, step, model, hasWritten: phase === "answer", end };
}

function callOf(told: TraceStep): Told[] {
  const { phase, thought = "", action, observation, error, cached = false, elapsed_ms, timestamp } = told;
  if (action?.type !== "action") return [];
  const isOk = error === undefined;
  const result = observation || (error ?? "");
  const end = { isOk, isCached: cached, result, elapsedMs: elapsed_ms, resultCount: undefined, top: [] };
  const call = { tool: action.tool, arguments: action.args ?? null, progress: "", end };
  return [{ phase, thought, time: timestamp, item: { kind: "call", callId: `call-${told.step}`, ...call } }];
}

function noteOf({ phase, timestamp, level, code, message }: TraceNote): Told {
  const isVerdict = level === "info" && Object.hasOwn(verdicts, code);
  const item: StepItem = isVerdict ? { kind: "evaluation", message } : { kind: "notice", level, message };
  return { phase, thought: "", time: timestamp, item };
}

/** What was thought behind the last call belongs to the turn that asked for no more, where there was one. */
function withLastThought(turns: readonly StepView[], { steps }: TraceFields): readonly StepView[] {
  const last = steps.at(-1);
  if (!last?.thought || last.action?.type === "action") return turns;
  const { thought } = last;
  const isFree = (turn: StepView): boolean => turn.thought === "" && turn.items.every(({ kind }) => kind !== "call");
  const decided = turns.findLastIndex((turn) => turn.phase !== "answer" && isFree(turn));
  const at = decided < 0 ? turns.length - 1 : decided;
  return turns.map((turn, index) => (index === at ? { ...turn, thought } : turn));
}

function hasSomething({ model, items, thought }: StepView): boolean {
  return model !== "" || items.length > 0 || thought !== "";
}

/** By which a note of a trace is told from one that is no evaluation. */
const verdicts: Readonly<Record<Verdict["reason"], true>> = {
  "result-thin": true,
  "tool-failed": true,
  "model-decides": true,
  "model-decided": true,
  "model-failed": true,
  "turn-cut": true,
  "model-refused": true,
  "iteration-limit": true,
  "tool-call-limit": true,
  "time-limit": true,
  "token-limit": true,
  "cost-limit": true,
  "plan-done": true,
  "plan-failed": true,
  custom: true,
  repetition: true,
  sufficient: true,
};
