import { limitRows } from "../../core/limits.ts";
import type { Outcome, StopReason } from "../../core/outcome.ts";
import type { Verdict } from "../../core/verdict.ts";
import type { Run } from "../run.ts";

/**
 * Names the limit that ended a run early, with its value in the unit of the configuration. Returns undefined where there was none,
 * and where no setting of this agent raises it: an agent above, or what a caller may use in a day, has set it.
 */
export function findReachedSetting(
  run: Run,
  stop: StopReason,
  reason: Verdict["reason"] | undefined,
): Outcome["limit"] {
  const { limits } = run.input;
  const wanted = stop === "length" ? "maxTokens" : reason === "calls-used" ? "maxToolCalls" : undefined;
  const row = limitRows.find(
    (each) => each.key === wanted || ("stop" in each && each.stop !== undefined && each.stop.stopReason === stop),
  );
  if (row === undefined) return undefined;
  const lowered = row.field === "tokenBudget" || row.field === "costBudget" ? limits.sources?.[row.field] : undefined;
  if (lowered !== undefined || isGivenFromAbove(run, row.key)) return lowered;
  const value = limits[row.field] ?? (row.key === "maxTokens" ? run.services.models.answer.maxTokens : undefined);
  return value === undefined ? undefined : { setting: `agent.${row.key}`, value: value / (row.factor ?? 1) };
}

/** Returns true for a limit that comes from the agent above, or from what is left of a budget. */
export function isGivenFromAbove({ input: { chain, limits } }: Pick<Run, "input">, key: string): boolean {
  if (chain === undefined) return false;
  if (key === "maxExecutionTime") return chain.deadline !== undefined;
  if (key === "tokenBudget") return chain.budget !== undefined && chain.budget <= limits.tokenBudget;
  return key === "costBudget" && chain.cost !== undefined && chain.cost <= (limits.costBudget ?? chain.cost);
}
