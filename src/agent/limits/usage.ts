import type { Limits } from "./limits.ts";
import type { Statistics } from "./statistics.ts";
import type { AgentsBelow, Means } from "./sub-agents.ts";

interface Spender {
  readonly statistics: Statistics;
  readonly agentsBelow: AgentsBelow;
}

/** What a run and the agents below it have used so far: tokens, and US dollars as far as they are known. */
export function spentBy({ statistics, agentsBelow }: Spender): { tokens: number; cost: number } {
  return {
    tokens: statistics.totalTokens() + agentsBelow.tokens(),
    cost: statistics.knownCost() + agentsBelow.knownCost(),
  };
}

/** What is left of its budgets; no money where there is no budget of money. */
export function leftOf(run: Spender & { readonly limits: Limits }): Means {
  const { tokenBudget, costBudget } = run.limits;
  const { tokens, cost } = spentBy(run);
  return {
    tokens: Math.max(0, tokenBudget - tokens),
    cost: costBudget === undefined ? undefined : Math.max(0, costBudget - cost),
  };
}
