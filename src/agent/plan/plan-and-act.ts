import { isPlanReply, type PlanReply } from "../../core/questions/plan-reply.ts";
import { canAskUser } from "../../core/questions/user.ts";
import type { PlanStep } from "../../core/run/events.ts";
import { isLimit } from "../../core/run/verdict.ts";
import { DuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { decideAndAct } from "../loop/decide.ts";
import { toDecideResult } from "../loop/decide-result.ts";
import { type DecideResult, isEarlyEnd } from "../loop/run-result.ts";
import type { LoopState, Run, RunInput } from "../run.ts";
import { resumePlan, toPendingPlan } from "./pending-plan.ts";
import { createPlan, type Plan, type StartedPlan } from "./plan.ts";
import type { PlanPolicy } from "./plan-policy.ts";
import { noticeNoMoreChanges, noticeNotGoneOn, renderDeclined, renderPendingPlan, renderStates } from "./plan-texts.ts";
import { createPlanner, type DraftResult, type Planner } from "./planner.ts";
import { runStep } from "./run-step.ts";

/**
 * Plans, has the plan confirmed, carries it out (docs/development/agent-architecture.md#32-plan-executor). Ends with the reason
 * to answer, or with a plan that waits or is not wanted; throws only when it was cancelled, or when the function-call model
 * failed before there was anything to show.
 */
export async function planAndAct(run: Run): Promise<DecideResult> {
  if (run.services.catalog.tools.size === 0) return toDecideResult(run, { observations: [], reason: "model-decided" });
  const { pendingPlan } = run.input.conversation;
  const resumed = pendingPlan === undefined ? undefined : resumePlan(pendingPlan, run.input.question);
  const plan = createPlan(run, resumed?.begun ?? createNothing());
  const planner = createPlanner(run, plan);
  try {
    return await settle(run, { plan, planner, reply: resumed?.reply });
  } catch (thrown) {
    plan.close("ended");
    throw thrown;
  }
}

function createNothing(): StartedPlan {
  return {
    steps: [],
    stepwise: false,
    observations: [],
    results: new Map(),
    failures: new Map(),
    remarks: [],
    replaced: 0,
    repairs: 0,
    dropped: [],
    isRefused: false,
  };
}

interface PlanState {
  plan: Plan;
  planner: Planner;
  reply: PlanReply | undefined;
}

async function settle(run: Run, planning: PlanState): Promise<DecideResult> {
  const { plan, planner } = planning;
  const agreement = await begin(run, planning);
  if (typeof agreement === "object") return finishPlan(run, plan, { reason: agreement.stop, error: agreement.error });
  if (agreement === "unanswered") return toWaitingResult(run, plan);
  if (agreement === "no") return toDeclinedResult(run, plan);
  if (plan.steps.length === 0) return toDecideResult(run, { observations: [], reason: "model-decided" });
  if (plan.isStepwise) return decideStepByStep(run, plan);
  const ended = await executePlan(run, plan, planner);
  return ended === "unanswered" ? toWaitingResult(run, plan) : finishPlan(run, plan, ended);
}

/** Makes the first plan, or takes up the one that waited, and has it confirmed. */
async function begin(run: Run, { plan, planner, reply }: PlanState): Promise<PlanAgreement> {
  if (reply === undefined) {
    const drafted = await planner.begin();
    if (!("draft" in drafted)) return drafted;
    plan.revise(drafted.draft);
    return plan.steps.length === 0 ? "yes" : agreeOnPlan(run, plan, planner);
  }
  if (reply.reply === "edit")
    return (await revisePlan(run.state, plan, planner, reply.words)) ?? agreeOnPlan(run, plan, planner);
  plan.show();
  return reply.reply;
}

/** Ends the plan, whether it was carried out in full or not. */
function finishPlan(run: Run, plan: Plan, { reason, error }: Pick<DecideResult, "reason" | "error">): DecideResult {
  plan.close(isLimit({ reason }) ? "limit" : "ended");
  const observations = [...plan.observations];
  if (!plan.isWhole() && observations.length > 0) observations.push(toObservation(plan, run.input));
  const unfinished = reason === "plan-failed" ? unfinishedPlanError() : undefined;
  const dropped = plan.dropped.map(({ description, tool }) => `${description} (${tool})`);
  const lastWords = plan.remarks.join("\n");
  return toDecideResult(run, {
    observations,
    dropped,
    lastWords,
    reason,
    error: error ?? getFailure(plan) ?? unfinished,
  });
}

/** Describes a plan that ended early although nothing failed: the reader did not want the rest. */
function unfinishedPlanError(): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: "计划没有全部完成。", en: "The plan was not completed." },
  });
}

/** Returns the error of the first step that failed, or undefined when no step failed. */
function getFailure({ failures, steps }: Plan): DuetError | undefined {
  const [first] = failures;
  const refused = steps.find((step) => step.reason === "consent");
  if (first === undefined) return refused && unconsentedError(refused);
  const [step, why] = first;
  return new DuetError({ code: "tool", text: { zh: `步骤 ${step} 失败：${why}`, en: `step ${step} failed: ${why}` } });
}

/** Describes a step that was not run because a person's consent was missing. */
function unconsentedError({ step }: PlanStep): DuetError {
  return new DuetError({
    code: "tool",
    text: {
      zh: `步骤 ${step} 没有得到同意，没有执行`,
      en: `step ${step} was not run, because consent for it is missing`,
    },
  });
}

/** Returns the outcome of each step for the answer model, so that it can say what is missing. */
function toObservation(plan: Plan, { language }: RunInput): Observation {
  const text = renderStates(plan, language);
  const name = say(language, { zh: "计划的执行情况", en: "State of the plan" });
  const call = { id: "plan", name, argumentsText: "", arguments: {} };
  return {
    call,
    result: { ok: true, text },
    text,
    images: [],
    ran: true,
    isRepeated: false,
    isOverLimit: false,
    isNews: true,
  };
}

async function decideStepByStep(run: Run, plan: Plan): Promise<DecideResult> {
  const limit = plan.limit("planning");
  if (limit) return finishPlan(run, plan, { reason: limit });
  const [step] = plan.steps;
  if (step) plan.begin(step);
  const work = await decideAndAct(run);
  if (step && isEarlyEnd(work.reason)) plan.fail(step, work.reason);
  else if (step) plan.succeed(step);
  return work;
}

/** Returns the plan itself as the answer. The conversation keeps it until somebody replies. */
function toWaitingResult(run: Run, plan: Plan): DecideResult {
  run.state.answer.push(renderPendingPlan(plan.shown, run.input.language));
  const halt = { halt: "unconfirmed", pendingPlan: toPendingPlan(run.state.question, plan) } as const;
  return { observations: [], reason: "plan-failed", answer: { finish: "stop" }, halt };
}

/** Ends a plan that the reader declined. Steps that were already done are still worth an answer. */
function toDeclinedResult(run: Run, plan: Plan): DecideResult {
  if (plan.observations.length > 0) return finishPlan(run, plan, { reason: "plan-failed" });
  plan.close("ended");
  run.state.answer.push(renderDeclined(run.input));
  if (run.input.goesOn) noticeNotGoneOn(run);
  return { observations: [], reason: "plan-failed", answer: { finish: "stop" }, halt: { halt: "declined" } };
}

/** Says why a plan ended. `unanswered` means that its new remainder waits for confirmation. */
export type PlanEnd = { reason: DecideResult["reason"]; error?: DuetError } | "unanswered";

/** Limits how often the rest of a plan is planned again after a failure. */
const mostRepairs = 2;

/** Carries out a plan step by step, in order, whatever becomes of the single step. */
export async function executePlan(run: Run, plan: Plan, planner: Planner): Promise<PlanEnd> {
  for (let step = plan.next(); step; step = plan.next()) {
    if (plan.isCutOff(step)) {
      plan.skip(step, "dependency");
      continue;
    }
    if (step.tool === "") {
      plan.succeed(step);
      continue;
    }
    const limit = plan.limit("step");
    if (limit) return { reason: limit };
    plan.begin(step);
    const ended = await runStep(run, plan, step);
    if (ended.end === "done") plan.succeed(step, ended.result);
    else if (ended.end === "stop") return { reason: ended.reason, error: ended.error };
    else {
      if (ended.end === "refused") plan.skip(step, "consent");
      else plan.fail(step, ended.why);
      const policy = getFailurePolicy(run.input, plan);
      noticeNext(run, step, policy, ended.end);
      if (policy === "stop") return { reason: "plan-failed" };
      const repaired = policy === "replan" ? await repair(run, plan, planner) : undefined;
      if (repaired) return repaired;
    }
  }
  return { reason: plan.isWhole() ? "plan-done" : "plan-failed" };
}

/** What a person did not consent to is not tried in another way, so nothing is planned anew after a refusal. */
function getFailurePolicy(input: RunInput, plan: Plan): PlanPolicy["onFailure"] {
  const { onFailure } = input.planPolicy;
  const mayReplan = plan.repairs < mostRepairs && !plan.isRefused;
  return onFailure === "replan" && !mayReplan ? "skip" : onFailure;
}

/** Plans the rest anew; gives why the plan ends, if it does. */
async function repair(run: Run, plan: Plan, planner: Planner): Promise<PlanEnd | undefined> {
  plan.countRepair();
  const drafted = await planner.repair();
  if (!("draft" in drafted)) return { reason: drafted.stop, error: drafted.error };
  const { draft } = drafted;
  // Where there is no other way, what is left of the old plan goes on.
  if (draft.steps.length === 0) return undefined;
  plan.repair(draft);
  const agreement = await agreeOnPlan(run, plan, planner);
  if (agreement === "yes") return undefined;
  if (agreement === "unanswered") return "unanswered";
  return agreement === "no" ? { reason: "plan-failed" } : { reason: agreement.stop, error: agreement.error };
}

/** Reports what comes after a step that failed; the end of a plan is reported by whoever ends the run's work. */
function noticeNext(run: Run, { step }: PlanStep, policy: PlanPolicy["onFailure"], end: "failed" | "refused"): void {
  if (policy === "stop") return;
  const { zh, en } = nextAfterFailure[policy];
  const happened =
    end === "refused"
      ? { zh: "没有得到同意，没有执行", en: "was not run for lack of consent" }
      : { zh: "失败", en: "failed" };
  const message = say(run.input.locale, {
    zh: `步骤 ${step} ${happened.zh}，${zh}。`,
    en: `Step ${step} ${happened.en}; ${en}.`,
  });
  run.services.emit({ type: "evaluation", verdict: "continue", reason: "tool-failed", message });
}

const nextAfterFailure: Record<"replan" | "skip", Text> = {
  replan: { zh: "重新规划其余步骤", en: "replanning the remaining steps" },
  skip: { zh: "跳过它和依赖它的步骤，继续执行", en: "continuing without it and the steps that depend on it" },
};

/** Holds the outcome of showing a plan. `unanswered` means that nobody can be asked, or nobody has replied. */
type PlanAgreement = "yes" | "no" | "unanswered" | Exclude<DraftResult, { draft: unknown }>;

/** Limits how often a reader may have a plan changed. */
const mostRevisions = 5;

/** Shows a plan until a reader has said yes or no; each change that is asked for is planned, shown and asked about again. */
async function agreeOnPlan(run: Run, plan: Plan, planner: Planner): Promise<PlanAgreement> {
  for (let revisions = 0; ; revisions++) {
    plan.show();
    if (!plan.acts) return "yes";
    const reply = await askReader(run, plan);
    if (reply === undefined) return "unanswered";
    if (reply.reply !== "edit") return reply.reply;
    if (revisions === mostRevisions) {
      noticeNoMoreChanges(run, mostRevisions);
      return "unanswered";
    }
    const stopped = await revisePlan(run.state, plan, planner, reply.words);
    if (stopped) return stopped;
  }
}

/** Puts what the reader wants changed into the plan; gives why that was not possible. */
async function revisePlan(
  state: LoopState,
  plan: Plan,
  planner: Planner,
  words: string,
): Promise<Exclude<DraftResult, { draft: unknown }> | undefined> {
  const drafted = await planner.revise(words);
  // What the reader says to the plan is part of what is asked: the answer must know it too.
  state.question = `${state.question}\n\n${words}`;
  if (!("draft" in drafted)) return drafted;
  plan.revise(drafted.draft);
  return undefined;
}

async function askReader(run: Run, plan: Plan): Promise<PlanReply | undefined> {
  const {
    services: { user, clock, record },
  } = run;
  if (!canAskUser(user, "plan")) return run.input.planPolicy.unattended === "run" ? { reply: "yes" } : undefined;
  const ask = () => user.ask({ kind: "plan", steps: plan.shown }, clock.callerSignal);
  const reply = await record.ask({ name: plan.nextQuestion(), isAnswer: isPlanReply, ask });
  if (reply?.reply === "yes") plan.confirm();
  return reply;
}
