import type { Limits } from "../../agent/limits/run-clock.ts";
import type { Config, SubAgentSettings } from "../../config/config.ts";
import { type Chain, getWayBackMs } from "../../core/chain.ts";
import { type LimitCeilings, limitRows, mergeRunLimits } from "../../core/limits/limits.ts";

/** Holds limits of one question, in place of the configured ones. */
export type LimitChanges = {
  [Name in Exclude<keyof Limits, "asked" | "ceilings" | "ofAgent" | "sources">]?: Limits[Name] | undefined;
};

const maxParallel = 8;

const ceilingFields = [
  "maxIterations",
  "maxToolCalls",
  "maxExecutionTimeMs",
] as const satisfies (keyof LimitCeilings)[];

/** Applies a question's own limits over the configured ones. The result never exceeds what the agent above and the server allow. */
export function mergeLimits(
  { agent }: Config,
  changes: LimitChanges = {},
  chain?: Chain,
  ceilings?: LimitCeilings,
): Limits {
  const own: Limits = {
    ...mergeRunLimits(agent, changes),
    maxParallel: changes.maxParallel ?? maxParallel,
    repeatable: changes.repeatable ?? agent.repeatable,
    minResultLength: changes.minResultLength ?? agent.evaluation.minResultLength,
    stopWhenSufficient: changes.stopWhenSufficient ?? agent.evaluation.stopWhenSufficient,
    onLimit: changes.onLimit ?? agent.onLimit,
    finishAnswer: changes.finishAnswer ?? agent.finishAnswer,
    acceptAnswer: changes.acceptAnswer ?? agent.acceptAnswer,
    ceilings,
  };
  for (const field of ceilingFields) own[field] = Math.min(own[field], ceilings?.[field] ?? own[field]);
  const asked = limitRows
    .map(({ field }) => field)
    .filter((field) => changes[field] !== undefined && changes[field] === own[field]);
  return {
    ...own,
    asked: asked.length > 0 ? asked : undefined,
    maxExecutionTimeMs: Math.min(own.maxExecutionTimeMs, getTimeLeftMs(chain)),
    tokenBudget: Math.min(own.tokenBudget, chain?.budget ?? own.tokenBudget),
    costBudget: takeSmaller(own.costBudget, chain?.cost),
  };
}

/** Returns the name of an agent beside the main one, with the limits that its own settings hold. */
export function listOwnLimits({ name, limits }: SubAgentSettings): Limits["ofAgent"] {
  return { name, fields: limitRows.flatMap(({ key, field }) => (limits[key] === undefined ? [] : [field])) };
}

/** Returns the time that the agent above leaves for a run, in milliseconds. */
function getTimeLeftMs({ deadline }: Pick<Chain, "deadline"> = {}): number {
  if (deadline === undefined) return Number.POSITIVE_INFINITY;
  const left = Math.max(0, deadline - Date.now());
  return left - getWayBackMs(left);
}

/** Returns the smaller of two budgets that may be absent. */
function takeSmaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
