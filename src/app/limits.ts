import type { Limits } from "../agent/limits.ts";
import type { Config } from "../config.ts";
import type { Chain } from "../core/chain.ts";

/** What one question changes of the configured limits. */
export type LimitChanges = { [Name in keyof Limits]?: Limits[Name] | undefined };

const maxParallel = 8;

/** The configured limits with a question's own over them, and never more than the agent above leaves. */
export function mergeLimits({ agent }: Config, changes: LimitChanges = {}, chain?: Chain): Limits {
  const own: Limits = {
    maxIterations: changes.maxIterations ?? agent.maxIterations,
    maxToolCalls: changes.maxToolCalls ?? agent.maxToolCalls,
    maxExecutionTimeMs: changes.maxExecutionTimeMs ?? agent.maxExecutionTime * 1000,
    tokenBudget: changes.tokenBudget ?? agent.tokenBudget,
    costBudget: changes.costBudget ?? agent.costBudget,
    maxTokens: changes.maxTokens,
    maxParallel: changes.maxParallel ?? maxParallel,
    repeatable: changes.repeatable ?? agent.repeatable,
    minResultLength: changes.minResultLength ?? agent.evaluation.minResultLength,
    stopWhenSufficient: changes.stopWhenSufficient ?? agent.evaluation.stopWhenSufficient,
  };
  const left = chain?.deadline === undefined ? own.maxExecutionTimeMs : Math.max(0, chain.deadline - Date.now());
  return {
    ...own,
    maxExecutionTimeMs: Math.min(own.maxExecutionTimeMs, left),
    tokenBudget: Math.min(own.tokenBudget, chain?.budget ?? own.tokenBudget),
  };
}
