import type { PlanReply } from "../../core/plan-reply.ts";
import { DuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import type { Observation } from "../loop/act.ts";
import { decideAndAct, toDecideResult } from "../loop/decide.ts";
import type { DecideResult } from "../loop/decide-result.ts";
import { isEarlyEnd } from "../loop/stop-reason.ts";
import type { Run } from "../run.ts";
import { executePlan } from "./carry-out.ts";
import { agreeOnPlan, type PlanAgreement, revisePlan } from "./confirm-plan.ts";
import { resumePlan, toPendingPlan } from "./pending-plan.ts";
import { createPlan, type Plan, type StartedPlan } from "./plan.ts";
import { renderPendingPlan, renderStates } from "./plan-text.ts";
import { createPlanner, type Planner } from "./planner.ts";

/**
 * Plans, has the plan confirmed, carries it out (agent-architecture.md 3.2). Ends with the reason to answer, or with a
 * plan that waits or is not wanted; throws only when it was cancelled, or when the function-call model failed before
 * there was anything to show.
 */
export async function planAndAct(run: Run): Promise<DecideResult> {
  if (run.tools.size === 0) return toDecideResult(run, { observations: [], reason: "model-decided" });
  const { pendingPlan } = run.conversation;
  const resumed = pendingPlan === undefined ? undefined : resumePlan(pendingPlan, run.said);
  const plan = createPlan(run, resumed?.begun ?? nothing());
  const planner = createPlanner(run, plan);
  try {
    return await settle(run, { plan, planner, reply: resumed?.reply });
  } catch (thrown) {
    plan.close();
    throw thrown;
  }
}

function nothing(): StartedPlan {
  return { steps: [], stepwise: false, observations: [], results: new Map(), replaced: 0, repairs: 0 };
}

interface Planning {
  plan: Plan;
  planner: Planner;
  /** What was said to a plan that waited. */
  reply: PlanReply | undefined;
}

async function settle(run: Run, planning: Planning): Promise<DecideResult> {
  const { plan, planner } = planning;
  const agreement = await begin(run, planning);
  if (typeof agreement === "object") return end(run, plan, { reason: agreement.stop, error: agreement.error });
  if (agreement === "unanswered") return waiting(run, plan);
  if (agreement === "no") return declined(run, plan);
  if (plan.steps.length === 0) return toDecideResult(run, { observations: [], reason: "model-decided" });
  if (plan.isStepwise) return stepByStep(run, plan);
  const ended = await executePlan(run, plan, planner);
  return ended === "unanswered" ? waiting(run, plan) : end(run, plan, ended);
}

/** Makes the first plan, or takes up the one that waited, and has it confirmed. */
async function begin(run: Run, { plan, planner, reply }: Planning): Promise<PlanAgreement> {
  if (reply === undefined) {
    const drafted = await planner.begin();
    if (!("draft" in drafted)) return drafted;
    plan.revise(drafted.draft);
    return plan.steps.length === 0 ? "yes" : agreeOnPlan(run, plan, planner);
  }
  if (reply.reply === "edit")
    return (await revisePlan(run, plan, planner, reply.words)) ?? agreeOnPlan(run, plan, planner);
  plan.show();
  return reply.reply;
}

/** The plan has come to its end, whole or not. */
function end(run: Run, plan: Plan, { reason, error }: Pick<DecideResult, "reason" | "error">): DecideResult {
  plan.close();
  const observations = [...plan.observations];
  if (!plan.isWhole() && observations.length > 0) observations.push(asObservation(plan, run));
  const unfinished = reason === "plan-failed" ? notWhole() : undefined;
  return toDecideResult(run, { observations, reason, error: error ?? failureOf(plan) ?? unfinished });
}

/** Nothing went wrong: somebody wanted no more of it. */
function notWhole(): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: "计划没有全部完成。", en: "The plan was not carried out in full." },
  });
}

/** What went wrong first, for a plan that was not carried out in full. */
function failureOf({ failures }: Plan): DuetError | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const [step, why] = first;
  return new DuetError({ code: "tool", text: { zh: `步骤 ${step} 失败：${why}`, en: `step ${step} failed: ${why}` } });
}

/** What became of each step, for the model that answers: it says what is missing. */
function asObservation(plan: Plan, { language }: Run): Observation {
  const text = renderStates(plan, language);
  const name = say(language, { zh: "计划的执行情况", en: "What became of the plan" });
  const call = { id: "plan", name, argumentsText: "", arguments: {} };
  return { call, result: { ok: true, text }, text, ran: true, tries: 1, isRepeated: false, isNews: true };
}

async function stepByStep(run: Run, plan: Plan): Promise<DecideResult> {
  const limit = plan.limit("turn");
  if (limit) return end(run, plan, { reason: limit });
  const [step] = plan.steps;
  if (step) plan.begin(step);
  const work = await decideAndAct(run);
  if (step && isEarlyEnd(work.reason)) plan.fail(step, work.reason);
  else if (step) plan.succeed(step);
  return work;
}

/** The answer is the plan itself, which the conversation keeps until somebody replies. */
function waiting(run: Run, plan: Plan): DecideResult {
  run.answer.push(renderPendingPlan(plan.steps, run.language));
  const halt = { halt: "unconfirmed", pendingPlan: toPendingPlan(run.question, plan) } as const;
  return { observations: [], reason: "plan-failed", answer: { finish: "stop" }, halt };
}

/** What was done before the reader said no is still worth an answer. */
function declined(run: Run, plan: Plan): DecideResult {
  if (plan.observations.length > 0) return end(run, plan, { reason: "plan-failed" });
  plan.close();
  run.answer.push(say(run.language, { zh: "计划已取消，没有执行。", en: "The plan was dropped; nothing was done." }));
  return { observations: [], reason: "plan-failed", answer: { finish: "stop" }, halt: { halt: "declined" } };
}
