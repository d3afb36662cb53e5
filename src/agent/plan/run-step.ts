import { isDeepStrictEqual } from "node:util";
import type { PlanStep } from "../../core/events.ts";
import type { ToolCall } from "../../core/messages.ts";
import type { Approve } from "../../core/tools/permission.ts";
import type { Tool, ToolFailure } from "../../core/tools/tool.ts";
import { sleep } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say } from "../../kit/locale.ts";
import { isShownWhole } from "../../render/plan-lines.ts";
import { act, type Observation } from "../loop/act.ts";
import { reportModelFailure } from "../loop/decide.ts";
import type { DecideResult } from "../loop/decide-result.ts";
import { createRepetition } from "../loop/repetition.ts";
import type { Run } from "../run.ts";
import { type FilledStep, fillFromModel, fillFromResults, type ReadyStep } from "./fill-step.ts";
import type { Plan } from "./plan.ts";
import { describeUnknownTool } from "./plan-problems.ts";
import { findUnresolvedValues } from "./references.ts";

/** What a step came to; `stop`: the whole plan ends here. */
export type StepEnd =
  | { end: "done"; result: string }
  | { end: "failed"; why: string }
  | { end: "stop"; reason: DecideResult["reason"]; error?: DuetError };

/** How often the model may fill in the parameters of one step. */
const mostFillings = 2;
/** Before a step is tried again, in milliseconds; doubled each time. */
const firstPauseMs = 250;

/** Carries out one step that has a tool: fills in its parameters, calls the tool, and tries again where that may help. */
export async function runStep(run: Run, plan: Plan, step: PlanStep): Promise<StepEnd> {
  const tool = run.catalog.resolveTools(step.tool);
  if (tool === undefined)
    return { end: "failed", why: say(run.language, describeUnknownTool(step.tool, [...run.tools.keys()])) };
  let ready: ReadyStep = await fillFromResults(run, plan, step, tool);
  let fillings = 0;
  let retries = 0;
  for (;;) {
    const limit = plan.limit("trouble" in ready ? "turn" : "call");
    if (limit) return { end: "stop", reason: limit };
    if ("trouble" in ready) {
      if (fillings++ === mostFillings) return { end: "failed", why: ready.trouble.text };
      try {
        ready = await fillFromModel(run, plan, { step, tool, trouble: ready.trouble });
      } catch (thrown) {
        return modelFailed(run, plan, thrown);
      }
      continue;
    }
    const observation = await call(run, plan, step, ready);
    if (observation.result.ok) return { end: "done", result: resultOf(observation) };
    if (run.decideSignal.aborted) return { end: "stop", reason: "time-limit" };
    const { error } = observation.result;
    if (error?.code === "invalid_arguments" && mayCorrect(run, step)) {
      ready = { trouble: { text: observation.text, touchesPlan: !isConfirmed(run) } };
    } else if (retries < run.planPolicy.retries && mayHelp(tool, ready.arguments, error)) {
      await sleep(firstPauseMs * 2 ** retries++, run.decideSignal).catch(() => {});
      run.callerSignal.throwIfAborted();
    } else return { end: "failed", why: error?.message ?? observation.text };
  }
}

async function call(
  run: Run,
  plan: Plan,
  { step, tool, parameters }: PlanStep,
  filled: FilledStep,
): Promise<Observation> {
  const toolCall: ToolCall = {
    id: `step_${step}`,
    name: tool,
    argumentsText: JSON.stringify(filled.written),
    arguments: filled.arguments,
  };
  // What a plan repeats, it repeats on purpose.
  const planned: Run = { ...run, repetition: createRepetition(["*"]), approve: consent(run, plan, parameters, filled) };
  const [observation] = await act(planned, [toolCall], step, run.limits.maxToolCalls - plan.toolCalls);
  run.callerSignal.throwIfAborted();
  if (observation === undefined) throw new Error(`The call of step ${step} was not observed.`);
  plan.observe(observation);
  return observation;
}

/** Who has confirmed a plan has agreed to a call that runs as it was shown, all of it; others are asked about again. */
function consent(
  { approve }: Run,
  { isConfirmed: isAgreed }: Plan,
  planned: JsonObject,
  filled: FilledStep,
): Approve | undefined {
  const wasSeen = isAgreed && isShownWhole(planned) && isDeepStrictEqual(filled.arguments, planned);
  if (!wasSeen) return approve;
  return async (request) => (request.onlyOnce ? approve?.(request) : "once");
}

/** What later steps may refer to: the whole result, its sources under their numbers. */
function resultOf({ result, text }: Observation): string {
  return result.sources?.length ? text : result.text;
}

/** Failures that the same call would only bring again. */
const final: ReadonlySet<ToolFailure["code"]> = new Set([
  "invalid_arguments",
  "unknown_tool",
  "cancelled",
  "denied",
  "config",
  "auth",
  "quota",
  "invalid_request",
  "content_filter",
]);

/**
 * Whether the same call may do better, and does no harm if the first one worked after all: a call that was lost is made
 * again only where the tool may be called twice.
 */
function mayHelp(tool: Tool, args: JsonObject, error: ToolFailure | undefined): boolean {
  const isHarmless = tool.canRepeat?.(args) === true;
  if (error?.code === "timeout" || error?.code === "network") return isHarmless;
  if (tool.annotations.destructive === true && !isHarmless) return false;
  return error === undefined || !final.has(error.code);
}

/** What was confirmed in full stays as it is: to change it is to plan anew. */
function mayCorrect(run: Run, { parameters }: PlanStep): boolean {
  return !isConfirmed(run) || findUnresolvedValues(parameters).length > 0;
}

/** Whether somebody confirms what is carried out, so that a model may not change it. */
function isConfirmed({ confirmPlan, planPolicy }: Run): boolean {
  return confirmPlan !== undefined || planPolicy.unattended === "stop";
}

function modelFailed(run: Run, plan: Plan, thrown: unknown): StepEnd {
  if (run.callerSignal.aborted) throw thrown;
  if (run.decideSignal.aborted) return { end: "stop", reason: "time-limit" };
  if (plan.observations.length === 0) throw thrown;
  return { end: "stop", reason: "model-failed", error: reportModelFailure(run, thrown) };
}
