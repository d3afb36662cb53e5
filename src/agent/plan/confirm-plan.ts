import type { PlanReply } from "../../core/plan-reply.ts";
import { askPerson } from "../questions/ask-person.ts";
import type { Run } from "../run.ts";
import type { Plan } from "./plan.ts";
import { noticeNoMoreChanges } from "./plan-notices.ts";
import type { DraftResult, Planner } from "./planner.ts";

/** What came of showing a plan; `unanswered`: nobody can be asked, or nobody has replied. */
export type PlanAgreement = "yes" | "no" | "unanswered" | Exclude<DraftResult, { draft: unknown }>;

/** How often a reader may have a plan changed. */
const mostRevisions = 5;

/** Shows a plan until a reader has said yes or no; each change that is asked for is planned, shown and asked about again. */
export async function agreeOnPlan(run: Run, plan: Plan, planner: Planner): Promise<PlanAgreement> {
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
    const stopped = await revisePlan(run, plan, planner, reply.words);
    if (stopped) return stopped;
  }
}

/** Puts what the reader wants changed into the plan; gives why that was not possible. */
export async function revisePlan(
  run: Run,
  plan: Plan,
  planner: Planner,
  words: string,
): Promise<Exclude<DraftResult, { draft: unknown }> | undefined> {
  const drafted = await planner.revise(words);
  // What the reader says to the plan is part of what is asked: the answer must know it too.
  run.question = `${run.question}\n\n${words}`;
  if (!("draft" in drafted)) return drafted;
  plan.revise(drafted.draft);
  return undefined;
}

async function askReader(run: Run, plan: Plan): Promise<PlanReply | undefined> {
  const { confirmPlan } = run;
  if (confirmPlan === undefined) return run.planPolicy.unattended === "run" ? { reply: "yes" } : undefined;
  const reply = await askPerson(run, waiting, (signal) => confirmPlan(plan.steps, signal));
  if (reply?.reply === "yes") plan.confirm();
  return reply;
}

const waiting = { zh: "等待确认计划", en: "waiting for the plan to be confirmed" };
