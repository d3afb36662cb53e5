import type { PlanStep } from "../../core/events.ts";
import type { PlanReply } from "../../core/questions/plan-reply.ts";

/** Shows a plan to somebody and waits for the reply; undefined when nobody replies. Rejects when the signal aborts. */
export type ConfirmPlan = (steps: readonly PlanStep[], signal: AbortSignal) => Promise<PlanReply | undefined>;

export interface PlanPolicy {
  /**
   * Says what happens where nobody can be asked: the plan is complete, or the run stops and returns the plan for
   * confirmation.
   */
  unattended: "run" | "stop";
  /** Says what happens after a step has failed all its retries: the rest is planned again, continues without it, or ends. */
  onFailure: "replan" | "skip" | "stop";
  /** Limits how often a failed step is retried, 0 to 3. */
  retries: number;
}
