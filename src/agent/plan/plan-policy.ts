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
