import type { PlanStep } from "../../core/events.ts";
import type { DuetError } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { DecideResult } from "../loop/decide-result.ts";
import type { PlanPolicy } from "../questions/confirm-plan.ts";
import type { Run } from "../run.ts";
import { agreeOnPlan } from "./confirm-plan.ts";
import type { Plan } from "./plan.ts";
import type { Planner } from "./planner.ts";
import { runStep } from "./run-step.ts";

/** Why a plan ended; `unanswered`: its rest, planned anew, waits to be confirmed. */
export type PlanEnd = { reason: DecideResult["reason"]; error?: DuetError } | "unanswered";

/** How often the rest of a plan is planned anew after a failure. */
const mostRepairs = 2;

/** Carries out a plan step by step, in order, whatever becomes of the single step. */
export async function executePlan(run: Run, plan: Plan, planner: Planner): Promise<PlanEnd> {
  for (let step = plan.next(); step; step = plan.next()) {
    if (plan.isCutOff(step)) {
      plan.skip(step);
      continue;
    }
    if (step.tool === "") {
      plan.succeed(step);
      continue;
    }
    plan.begin(step);
    const ended = await runStep(run, plan, step);
    if (ended.end === "done") plan.succeed(step, ended.result);
    else if (ended.end === "stop") return { reason: ended.reason, error: ended.error };
    else {
      plan.fail(step, ended.why);
      const policy = policyFor(run, plan);
      tellNext(run, step, policy);
      if (policy === "stop") return { reason: "plan-failed" };
      const repaired = policy === "replan" ? await repair(run, plan, planner) : undefined;
      if (repaired) return repaired;
    }
  }
  return { reason: plan.isWhole() ? "plan-done" : "plan-failed" };
}

function policyFor(run: Run, plan: Plan): PlanPolicy["onFailure"] {
  const { onFailure } = run.planPolicy;
  return onFailure === "replan" && plan.repairs >= mostRepairs ? "skip" : onFailure;
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

/** Tells what comes after a step that failed; the end of a plan is told by whoever ends the run's work. */
function tellNext(run: Run, { step }: PlanStep, policy: PlanPolicy["onFailure"]): void {
  if (policy === "stop") return;
  const { zh, en } = nextAfterFailure[policy];
  const message = say(run.locale, { zh: `步骤 ${step} 失败，${zh}。`, en: `Step ${step} failed; ${en}.` });
  run.emit({ type: "evaluation", verdict: "continue", reason: "tool-failed", message });
}

const nextAfterFailure: Record<"replan" | "skip", Text> = {
  replan: { zh: "重新规划其余步骤", en: "planning the rest anew" },
  skip: { zh: "跳过它和依赖它的步骤，继续执行", en: "going on without it and what depends on it" },
};
