/** The limits of one run. All times are milliseconds. */
export interface Limits {
  /** Decide turns. */
  maxIterations: number;
  /** Tool calls over all turns. */
  maxToolCalls: number;
  /** The whole run, its answer included. */
  maxExecutionTimeMs: number;
  /** Input and output tokens of all model calls together, with those of agents below. */
  tokenBudget: number;
  /** US dollars of the same; no limit when undefined, and none on models whose price is not known. */
  costBudget?: number;
  /** Output tokens of one model turn; the model's own setting when undefined. */
  maxTokens?: number;
  /** Tool calls that run side by side. */
  maxParallel: number;
  /** Patterns of tools that may be called again and again with the same result: polling. */
  repeatable: readonly string[];
  /** Characters under which a result counts as thin. */
  minResultLength: number;
  /** Answer as soon as a round's results are not thin, without asking the function-call model again. */
  stopWhenSufficient: boolean;
}

/** The time kept back for the answer: a quarter of the run, at most 20 s. */
export function getAnswerReserveMs(limits: Limits): number {
  return Math.min(20_000, limits.maxExecutionTimeMs / 4);
}
