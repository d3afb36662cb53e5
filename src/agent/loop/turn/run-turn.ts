import type { TextPhase } from "../../../core/model/messages.ts";
import {
  addUsage,
  type Model,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  type RunContext,
  type Turn,
  toModelName,
  type Usage,
} from "../../../core/model/model.ts";
import type { TurnCharge } from "../../../core/model/turn-charge.ts";
import type { Phase, PhaseEnd } from "../../../core/run/events.ts";
import { toDuetError } from "../../../kit/errors.ts";
import { say } from "../../../kit/locale.ts";
import { type ModelRole, sumCosts } from "../../limits/statistics.ts";
import {
  type RecordedTurn,
  splitBySigns,
  type TextSign,
  toFailedTurn,
  toTurnError,
} from "../../record/recorded-steps.ts";
import type { Run } from "../../run.ts";
import { listConsentIds } from "../calls/act.ts";
import { chooseFallback, describeFallback, describeStandIn, listTurnModels, rememberFailure } from "./fallbacks.ts";
import { limitTurn } from "./limit-turn.ts";
import { refusedKeyError, rememberRefusedKey } from "./refused-keys.ts";
import { estimateStoppedUsage, streamUntilStopped, toStoppedTurn } from "./stopped-turn.ts";
import { fitRecordedTurn, streamFitted } from "./stream-fitted.ts";
import type { TextOrigin } from "./turn-text.ts";

export interface TurnPlan {
  phase: Phase;
  /** Names the turn among the recorded ones, where another turn of its phase is something else. */
  kind?: string;
  step: number;
  role: ModelRole;
  model: Model;
  /** Says why this phase starts, in words for the reader. */
  reason: string;
  request: ModelRequest;
  signal: AbortSignal;
  /** Ends the turn where it stands, as if the model had nothing more to say. */
  stopSignal?: AbortSignal | undefined;
  onText(text: string, origin?: TextOrigin): void;
  /** Is called when the turn is complete, before its phase ends. */
  onEnd?(turn: Turn): void;
}

/**
 * Runs a turn with the model of the plan or, where that fails before it has said anything, with the next of its fallbacks; the
 * reader is told. Throws what the first model threw. The signal and the time of the turn hold for all of them together.
 */
export async function runTurn(run: Run, plan: TurnPlan): Promise<Turn> {
  const { role, phase, signal } = plan;
  run.services.clock.enter(phase === "answer" ? "answer" : "decide");
  let [model, ...others] = listTurnModels(run, plan);
  let first: unknown;
  let hasText = false;
  const onText = (text: string, origin?: TextOrigin): void => {
    hasText = true;
    plan.onText(text, origin);
  };
  for (;;) {
    const isFallback = model !== plan.model;
    const standIn = isFallback ? ` · ${say(run.input.locale, describeStandIn(plan.model))}` : "";
    try {
      return await runModelTurn(run, { ...plan, model, others, isFallback, reason: plan.reason + standIn, onText });
    } catch (thrown) {
      first ??= thrown;
      if (hasText) throw thrown;
      if (signal.aborted) throw first;
      const next = chooseFallback(run, { thrown, isFallback, role, model, others, isBounded: phase !== "answer" });
      if (next !== undefined || isFallback) rememberFailure(run.state, { role, model }, thrown);
      if (next === undefined) throw first;
      const message = say(run.input.locale, describeFallback(model, next, toDuetError(thrown)));
      run.services.emit({ type: "notice", level: "warning", code: "model-fallback", message });
      others = others.filter((other) => other !== next);
      model = next;
    }
  }
}

interface ModelTurn extends TurnPlan {
  /** Is true when the model has taken over from the one of its role. */
  isFallback: boolean;
  /** Lists the models that may take over from this one. */
  others: readonly Model[];
}

/**
 * Streams one model turn into events, and bills it. Its phase is closed whatever happens; throws what the model throws, and
 * at once what another model threw whose key was refused, where this one has the same.
 */
async function runModelTurn(run: Run, plan: ModelTurn): Promise<Turn> {
  const { phase, step, model } = plan;
  const refused = refusedKeyError(run.state, model);
  if (refused) throw refused;
  const { record } = run.services;
  const { name: recordName, recorded } = record.findTurn(plan.kind ?? phase);
  if (recorded === undefined) await record.leaveIfAsked();
  const { provider, model: modelName } = recorded?.model ?? model;
  const by = { provider, model: modelName };
  const name = toModelName(by);
  const started = performance.now();
  let turn: Turn | undefined;
  let usage = noUsage;
  let error: PhaseEnd["error"];
  /** Lists the cost of each attempt, failed ones included, and null where it is not known. */
  const costs: (number | null)[] = [];
  /** Holds what is not counted yet of the caller's day. */
  const charges: TurnCharge[] = [];
  let isStopCharged = false;
  function chargeUsage(used: Usage): void {
    isStopCharged = plan.stopSignal?.aborted === true;
    usage = addUsage(usage, used);
    costs.push(model.cost?.(used) ?? null);
  }
  let said = "";
  const signs: TextSign[] = [];
  const budgets = run.state.windows.requestBudgets;
  const knownBudget = budgets.get(model);
  /** Returns what this turn has learned about the model's window, for its record. */
  const toLearned = (): Pick<RecordedTurn, "learnedBudget"> =>
    budgets.get(model) === knownBudget ? {} : { learnedBudget: budgets.get(model) };
  const sayText = (text: string, phase: TextPhase | undefined): void => {
    if (phase !== undefined) signs.push({ at: said.length, phase });
    said += text;
    plan.onText(text, { phase });
  };
  run.services.emit({ type: "phase-start", phase, step, model: name, reason: plan.reason });
  try {
    if (recorded !== undefined) {
      usage = recorded.usage;
      costs.push(...recorded.costs);
      fitRecordedTurn(run, plan, recorded);
      turn = replayTurn(run, plan, recorded);
      plan.onEnd?.(turn);
      return turn;
    }
    const hasFiles = plan.request.messages.some(({ content }) => typeof content !== "string");
    const request: ModelRequest = {
      ...plan.request,
      ...(hasFiles && { files: run.services.files }),
      locale: run.input.locale,
      run: { ...createModelContext(run, plan), charge: (charge) => void charges.push(charge) },
    };
    const handleEvent = (event: ModelEvent): void => {
      if (event.type === "text-delta") sayText(event.text, event.phase);
      else if (event.type === "reasoning-delta")
        run.services.emit({ type: "reasoning-delta", phase, text: event.text });
      else if (event.type === "notice") run.services.emit(event);
      else chargeUsage(event.usage);
    };
    const receive = limitTurn(handleEvent, name);
    const whole = await streamUntilStopped(plan, (signal) => streamFitted(run, { ...plan, request, signal }, receive));
    turn = whole ?? toStoppedTurn(model, said);
    run.services.modelCalls?.handleTurn(turn);
    if (whole) chargeUsage(whole.usage);
    else if (!isStopCharged) chargeUsage(estimateStoppedUsage(model, request, said));
    const consentIds = listConsentIds(run, turn.message.toolCalls);
    const elapsedMs = performance.now() - started;
    const recordedSigns = signs.length > 0 ? { signs } : {};
    const kept = { usage, costs, model: by, elapsedMs, turn, consentIds, ...recordedSigns, ...toLearned() };
    await record.addTurn(recordName, kept, charges.splice(0));
    plan.onEnd?.(turn);
    return turn;
  } catch (thrown) {
    error = run.services.clock.callerSignal.aborted ? "cancelled" : toDuetError(thrown).code;
    rememberRefusedKey(run.state, model, thrown);
    if (recorded === undefined && turn === undefined && error !== "cancelled") {
      const failed = toFailedTurn(toDuetError(thrown), said);
      const elapsedMs = performance.now() - started;
      const kept = { usage, costs, model: by, elapsedMs, failed, signs, ...toLearned() };
      await record.addTurn(recordName, kept, charges.splice(0));
    }
    throw thrown;
  } finally {
    await record.settle(charges);
    const elapsedMs = recorded?.elapsedMs ?? performance.now() - started;
    const isFallback = plan.isFallback || name !== toModelName(model);
    const bill = { usage, elapsedMs, costs, allowance: turn?.allowance };
    run.state.statistics.add(phase === "compact" ? phase : plan.role, bill, { model: by, isFallback });
    run.services.emit({
      type: "phase-end",
      phase,
      step,
      model: name,
      usage,
      elapsedMs: Math.round(elapsedMs),
      costUsd: sumCosts(costs),
      allowance: turn?.allowance,
      finish: turn?.finish,
      error,
    });
  }
}

/** Says again what a recorded turn said, and ends as it did. */
function replayTurn(run: Run, { phase, onText }: TurnPlan, recorded: RecordedTurn): Turn {
  const { turn, failed, signs = [] } = recorded;
  const reasoning = turn?.message.reasoning ?? "";
  if (reasoning !== "") run.services.emit({ type: "reasoning-delta", phase, text: reasoning });
  const text = turn?.message.content ?? failed?.text ?? "";
  for (const { text: piece, phase: sign } of splitBySigns(text, signs))
    onText(piece, { phase: sign, isRecorded: true });
  if (turn !== undefined) return turn;
  throw toTurnError(failed);
}

/** Returns the context of a model call. Only an answer may use the time that is reserved for it. */
function createModelContext(
  { input: { id, isInteractive }, services: { clock } }: Run,
  { phase, others }: ModelTurn,
): RunContext {
  const isAnswer = phase === "answer";
  return {
    ...{ id, isInteractive, isAnswer, hasFallback: others.length > 0 },
    leftMs: () => clock.leftMs(isAnswer ? "answer" : "decide"),
  };
}
