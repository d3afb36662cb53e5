import type { PlanStep } from "../../core/events.ts";
import type { PlanReply } from "../../core/plan-reply.ts";

/** Shows a plan to somebody and waits for the reply; undefined when nobody replies. Rejects when the signal aborts. */
export type ConfirmPlan = (steps: readonly PlanStep[], signal: AbortSignal) => Promise<PlanReply | undefined>;

/** How a plan is carried out. */
export interface PlanPolicy {
  /** What a face that cannot ask does with a plan: carries it out, or stops and gives it out to be confirmed. */
  unattended: "run" | "stop";
  /** What becomes of a step that failed, after its retries: the rest is planned anew, goes on without it, or ends. */
  onFailure: "replan" | "skip" | "stop";
  /** How often a failed step is tried again, 0 to 3. */
  retries: number;
}
