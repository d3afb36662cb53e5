import { mapLimits, stoppingLimits } from "../../../../core/limits/limits.ts";
import type { AgentTrace, TraceNote, TracePhase, TraceStep } from "../../../../core/run/trace.ts";
import type { Verdict } from "../../../../core/run/verdict.ts";
import { traceShape } from "../../run/known-shapes.ts";
import type { StoredSteps } from "../../run/page-run-state.ts";
import type { StepItem, StepView } from "../../run/run-view.ts";
import { hasShape } from "../../run/shape.ts";
import { emptyStep } from "../../run/to-view.ts";

/** Reads the steps of an untrusted trace as they were when it ran. Returns undefined when the value is not a trace. */
export function readTrace(value: unknown): StoredSteps | undefined {
  if (!isTrace(value)) return undefined;
  const { phases, plan = [] } = value;
  const turns = phases.length > 0 ? phases.map(toTurn) : [emptyStep];
  const placedItems = [...value.steps.flatMap(toPlacedCall), ...value.notes.map(toPlacedNote)];
  const usual = phases.findLastIndex(({ phase }) => phase !== "answer") + 1;
  const placed = placedItems.map(({ phase = usual, ...rest }) => ({ ...rest, phase }));
  const hasAnswer = value.steps.at(-1)?.action?.type === "final";
  const steps = turns.map((turn, index) => {
    const own = placed.filter(({ phase }) => phase === index + 1 || (phases.length === 0 && phase === 0));
    const items = own.toSorted((one, other) => one.time.localeCompare(other.time)).map(({ item }) => item);
    // One model's last turn without calls wrote the answer.
    const isAnswer = turns[index + 1] === undefined && hasAnswer && items.every(({ kind }) => kind !== "call");
    const answering = turn.phase === "decide" && isAnswer ? ({ phase: "answer", hasWritten: true } as const) : {};
    return { ...turn, ...answering, items, thought: own.find(({ thought }) => thought !== "")?.thought ?? "" };
  });
  const early = phases.length === 0 ? [] : placed.filter(({ phase }) => phase === 0);
  return {
    notices: early.flatMap(({ item }) => (item.kind === "notice" ? [item] : [])),
    plan,
    steps: addLastThought(steps, value).filter(hasContent),
  };
}

interface PlacedItem {
  /** Counts from 1; it is 0 before the first turn and undefined in older traces. */
  readonly phase: number | undefined;
  readonly time: string;
  readonly thought: string;
  readonly item: StepItem;
}

function toTurn({ phase, step, model, input_tokens, output_tokens, elapsed_ms, cost_usd }: TracePhase): StepView {
  const end = {
    elapsedMs: elapsed_ms,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    costUsd: cost_usd,
    isFailed: false,
  };
  return { ...emptyStep, phase, step, model, hasWritten: phase === "answer", end };
}

function toPlacedCall(told: TraceStep): PlacedItem[] {
  const { phase, thought = "", action, observation, error, cached = false, elapsed_ms, timestamp, agent_steps } = told;
  if (action?.type !== "action") return [];
  const isOk = error === undefined;
  const result = observation || (error ?? "");
  const end = { isOk, isCached: cached, result, elapsedMs: elapsed_ms, resultCount: undefined, top: [] };
  const steps = agent_steps && { progress: agent_steps.join("\n"), hasSteps: true };
  const call = { tool: action.tool, arguments: action.args ?? null, progress: "", ...steps, end };
  return [{ phase, thought, time: timestamp, item: { kind: "call", callId: `call-${told.step}`, ...call } }];
}

function toPlacedNote({ phase, timestamp, level, code, message }: TraceNote): PlacedItem {
  const isVerdict = level === "info" && Object.hasOwn(verdicts, code);
  const item: StepItem = isVerdict ? { kind: "evaluation", message } : { kind: "notice", level, message };
  return { phase, thought: "", time: timestamp, item };
}

/** A thought after the last call belongs to the turn that requested no further call, if there was one. */
function addLastThought(turns: readonly StepView[], { steps }: TraceFields): readonly StepView[] {
  const last = steps.at(-1);
  if (!last?.thought || last.action?.type === "action") return turns;
  const { thought } = last;
  const isFree = (turn: StepView): boolean => turn.thought === "" && turn.items.every(({ kind }) => kind !== "call");
  const decided = turns.findLastIndex((turn) => turn.phase !== "answer" && isFree(turn));
  const toPath = decided < 0 ? turns.length - 1 : decided;
  return turns.map((turn, index) => (index === toPath ? { ...turn, thought } : turn));
}

function hasContent({ model, items, thought }: StepView): boolean {
  return model !== "" || items.length > 0 || thought !== "";
}

/** Lists the reasons that distinguish an evaluation in a trace from other notes. */
const verdicts: Readonly<Record<Verdict["reason"], true>> = {
  "result-thin": true,
  "tool-failed": true,
  "model-decides": true,
  "model-decided": true,
  "model-failed": true,
  "turn-cut": true,
  "calls-used": true,
  "model-refused": true,
  ...mapLimits(
    stoppingLimits,
    ({ stop }) => stop.reason,
    () => true,
  ),
  "plan-done": true,
  "plan-failed": true,
  "rules-answered": true,
  custom: true,
  repetition: true,
  sufficient: true,
};

type TraceFields = Pick<AgentTrace, "phases" | "steps" | "notes" | "plan">;

function isTrace(value: unknown): value is TraceFields {
  return hasShape(traceShape, value);
}
