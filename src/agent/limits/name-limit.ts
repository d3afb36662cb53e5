import type { LimitRow } from "../../core/limits/limit-row.ts";
import { limitRows } from "../../core/limits/limits.ts";
import type { Outcome, StopReason } from "../../core/run/outcome.ts";
import type { Verdict } from "../../core/run/verdict.ts";
import type { Run } from "../run.ts";
import type { Limits } from "./run-clock.ts";

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
  if (value === undefined) return undefined;
  const argument = "ask" in row && limits.asked?.includes(row.field) === true ? row.ask : undefined;
  // The server lowers the operator's own value for its callers.
  const isLowered = argument === undefined && value === getCeiling(limits, row.field);
  const setting = isLowered ? `serve.limits.${row.key}` : toSettingName(limits, row);
  return { setting, value: value / (row.factor ?? 1), ...(argument && { argument }) };
}

/** Names the setting that holds a limit: one of the agent that answers, or of all. */
export function toSettingName({ ofAgent }: Limits, { key, field }: Pick<LimitRow, "key" | "field">): string {
  return ofAgent?.fields.includes(field) ? `agents.${ofAgent.name}.limits.${key}` : `agent.${key}`;
}

/** Returns the most that the server allows the caller, whatever a person at its host says. */
export function getCeiling({ ceilings = {} }: Limits, field: string): number {
  const [, most] = Object.entries(ceilings).find(([name]) => name === field) ?? [];
  return most ?? Number.POSITIVE_INFINITY;
}

/** Returns true for a limit that comes from the agent above, or from what is left of a budget. */
export function isGivenFromAbove({ input: { chain, limits } }: Pick<Run, "input">, key: string): boolean {
  if (chain === undefined) return false;
  if (key === "maxExecutionTime") return chain.deadline !== undefined;
  if (key === "tokenBudget") return chain.budget !== undefined && chain.budget <= limits.tokenBudget;
  return key === "costBudget" && chain.cost !== undefined && chain.cost <= (limits.costBudget ?? chain.cost);
}
