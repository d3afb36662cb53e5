import { type LimitReason, mapLimits, type StoppingKey, stoppingLimits } from "../../core/limits/limits.ts";
import type { Run } from "../run.ts";
import type { Limits } from "./run-clock.ts";
import type { LimitUsage, Statistics } from "./statistics.ts";
import type { Budget, SubAgents } from "./sub-agents.ts";

/** Says how far a run has come, for comparison with each limit that can stop it. */
export type Progress = Readonly<Record<StoppingKey, Use>>;

/** Holds what a run has used of a limit, and what the next round would need of it. */
export interface Use {
  readonly used: number;
  readonly next: number;
}

type Meter = (run: Run) => Use;

/** Measures each limit. Of several reached limits the first in this order is reported. */
const meters: Readonly<Record<StoppingKey, Meter>> = {
  // The clock of the run decides: it stops while a person is asked.
  maxExecutionTime: ({ services }) => toTimeUse(services.clock.decideSignal.aborted),
  maxToolCalls: ({ state }) => toCountUse(getUsage(state).toolCalls),
  maxIterations: ({ state }) => toCountUse(getUsage(state).iterations),
  tokenBudget: (run) => toBudgetUse(getUsage(run.state).tokens, run.state.statistics.last().tokens),
  costBudget: (run) => toBudgetUse(getUsage(run.state).cost, run.state.statistics.last().cost),
};

export function getProgress(run: Run): Progress {
  return mapLimits(
    stoppingLimits,
    ({ key }) => key,
    ({ key }) => meters[key](run),
  );
}

/** A round needs one more of what is counted. */
export function toCountUse(used: number): Use {
  return { used, next: 1 };
}

/** A round needs as much as the last turn, and the answer as much again. */
export function toBudgetUse(used: number, lastTurn: number): Use {
  return { used, next: 2 * lastTurn };
}

export function toTimeUse(isOver: boolean): Use {
  return { used: isOver ? Number.POSITIVE_INFINITY : 0, next: 0 };
}

/**
 * Returns the limit that another round would exceed, or undefined while there is enough left for one more round and the answer.
 */
export function findReachedLimit(progress: Progress, limits: Limits): LimitReason | undefined {
  const reached = byUrgency.find(({ key, field }) => {
    const limit = limits[field];
    const { used, next } = progress[key];
    return limit !== undefined && used + next > limit;
  });
  return reached?.stop.reason;
}

const order = Object.keys(meters);
const byUrgency = stoppingLimits.toSorted((one, other) => order.indexOf(one.key) - order.indexOf(other.key));

export const nothingUsed: Readonly<LimitUsage> = { iterations: 0, toolCalls: 0, tokens: 0, cost: 0 };

interface Spender {
  readonly statistics: Statistics;
  readonly subAgents: SubAgents;
  /** Is what had been used when the limits began to count. */
  readonly usedBefore: LimitUsage;
}

/** Returns what a run and its sub-agents have used since the limits began to count. */
export function getUsage(state: Spender): LimitUsage {
  const all = getTotalUsage(state);
  const { usedBefore } = state;
  return {
    iterations: all.iterations - usedBefore.iterations,
    toolCalls: all.toolCalls - usedBefore.toolCalls,
    tokens: all.tokens - usedBefore.tokens,
    cost: all.cost - usedBefore.cost,
  };
}

/** Returns what a run and its sub-agents have used from its start on. */
export function getTotalUsage({ statistics, subAgents }: Omit<Spender, "usedBefore">): LimitUsage {
  return {
    iterations: statistics.iterations,
    toolCalls: statistics.toolCalls,
    tokens: statistics.totalTokens() + subAgents.tokens(),
    cost: statistics.knownCost() + subAgents.knownCost(),
  };
}

/** Returns how many more calls may reach a tool. */
export function countCallsLeft({ state, input }: Run): number {
  return input.limits.maxToolCalls - getUsage(state).toolCalls;
}

/** Returns what is left of the budgets. It holds no cost where there is no cost budget. */
export function getRemainingBudget(state: Spender, { tokenBudget, costBudget }: Limits): Budget {
  const { tokens, cost } = getUsage(state);
  return {
    tokens: Math.max(0, tokenBudget - tokens),
    cost: costBudget === undefined ? undefined : Math.max(0, costBudget - cost),
  };
}
