import type { Phase, PhaseEnd } from "../../core/events.ts";
import {
  addUsage,
  type Model,
  type ModelRequest,
  noUsage,
  type RunContext,
  type Turn,
  toModelName,
  type Usage,
} from "../../core/model.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { type Role, sumCosts } from "../limits/statistics.ts";
import type { Run } from "../run.ts";
import { limitTurn } from "./bounded-turn.ts";
import { refusedKeyError, rememberRefusedKey } from "./refused-keys.ts";
import { streamFitted } from "./stream-fitted.ts";

export interface TurnPlan {
  phase: Phase;
  step: number;
  role: Role;
  model: Model;
  /** Why this phase starts, in words for the reader. */
  reason: string;
  request: ModelRequest;
  signal: AbortSignal;
  onText(text: string): void;
  /** Told when the turn is complete, before its phase ends. */
  onEnd?(turn: Turn): void;
}

/**
 * Streams one model turn into events, and bills it. Its phase is closed whatever happens; throws what the model throws, and
 * at once what another model threw whose key was refused, where this one has the same.
 */
export async function runTurn(run: Run, plan: TurnPlan): Promise<Turn> {
  const { phase, step, model } = plan;
  const refused = refusedKeyError(run, model);
  if (refused) throw refused;
  const name = toModelName(model);
  const started = performance.now();
  let turn: Turn | undefined;
  let usage = noUsage;
  let error: PhaseEnd["error"];
  /** What each attempt cost, those that failed included; null where it is not known. */
  const costs: (number | null)[] = [];
  function bill(used: Usage): void {
    usage = addUsage(usage, used);
    costs.push(model.cost?.(used) ?? null);
  }
  run.emit({ type: "phase-start", phase, step, model: name, reason: plan.reason });
  try {
    const request = { ...plan.request, locale: run.locale, run: contextOf(run, phase) };
    for await (const event of limitTurn(streamFitted(run, { ...plan, request }), name)) {
      if (event.type === "text-delta") plan.onText(event.text);
      else if (event.type === "reasoning-delta") run.emit({ type: "reasoning-delta", phase, text: event.text });
      else if (event.type === "notice") run.emit(event);
      else if (event.type === "spent") bill(event.usage);
      else turn = event.turn;
    }
    if (turn) bill(turn.usage);
    if (turn === undefined) throw unfinished(name);
    plan.onEnd?.(turn);
    return turn;
  } catch (thrown) {
    error = run.callerSignal.aborted ? "cancelled" : toDuetError(thrown).code;
    rememberRefusedKey(run, model, thrown);
    throw thrown;
  } finally {
    const elapsedMs = performance.now() - started;
    run.statistics.add(plan.role, { usage, elapsedMs, costs });
    run.emit({
      type: "phase-end",
      phase,
      step,
      model: name,
      usage,
      elapsedMs: Math.round(elapsedMs),
      costUsd: sumCosts(costs),
      finish: turn?.finish,
      error,
    });
  }
}

/** Only an answer may take the time that is kept back for it. */
function contextOf({ id, isInteractive, clock }: Run, phase: Phase): RunContext {
  return { id, isInteractive, leftMs: () => clock.leftMs(phase === "answer" ? "answering" : "working") };
}

function unfinished(name: string): DuetError {
  return new DuetError({
    code: "bad_response",
    text: { zh: `${name} 的回复没有结束标记`, en: `${name} ended its reply without a terminal marker` },
    retryable: true,
  });
}
