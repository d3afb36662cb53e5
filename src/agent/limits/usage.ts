import type { Limits } from "./run-clock.ts";
import type { Statistics } from "./statistics.ts";
import type { Budget, SubAgents } from "./sub-agents.ts";

interface Spender {
  readonly statistics: Statistics;
  readonly subAgents: SubAgents;
}

/** Returns what a run and its sub-agents have used so far: tokens, and US dollars as far as they are known. */
export function getUsage({ statistics, subAgents }: Spender): { tokens: number; cost: number } {
  return {
    tokens: statistics.totalTokens() + subAgents.tokens(),
    cost: statistics.knownCost() + subAgents.knownCost(),
  };
}

/** Returns what is left of the budgets. It holds no cost where there is no cost budget. */
export function getRemainingBudget(state: Spender, { tokenBudget, costBudget }: Limits): Budget {
  const { tokens, cost } = getUsage(state);
  return {
    tokens: Math.max(0, tokenBudget - tokens),
    cost: costBudget === undefined ? undefined : Math.max(0, costBudget - cost),
  };
}
