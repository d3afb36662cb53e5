import type { Verdict } from "../../core/events.ts";
import type { Limits } from "../limits/run-clock.ts";
import type { Observation } from "./act.ts";

export interface Progress {
  /** Counts the decide turns taken. */
  iterations: number;
  /** Counts the calls that reached a tool. */
  toolCalls: number;
  /** Counts all tokens so far, those of sub-agents included, and those of the last turn alone. */
  totalTokens: number;
  lastTurnTokens: number;
  /** Holds the known cost so far in US dollars, and that of the last turn alone. */
  totalCost: number;
  lastTurnCost: number;
  outOfTime: boolean;
}

/** Names the limit that ends the tool calls. */
export type LimitReason = "time-limit" | "tool-call-limit" | "iteration-limit" | "token-limit" | "cost-limit";

/** Decides after a round of tool calls whether to go on: by the limits, by repetition and by the results themselves. */
export function evaluate(progress: Progress, round: ToolRound, limits: Limits): Verdict {
  const limit = findReachedLimit(progress, limits);
  if (limit) return { verdict: "answer", reason: limit };
  if (round.isCircle) return { verdict: "answer", reason: "repetition" };
  const { observations } = round;
  if (observations.every(({ result }) => !result.ok)) return { verdict: "continue", reason: "tool-failed" };
  if (observations.every((observation) => isThin(observation, limits)))
    return { verdict: "continue", reason: "result-thin" };
  if (limits.stopWhenSufficient) return { verdict: "answer", reason: "sufficient" };
  return { verdict: "continue", reason: "model-decides" };
}

export interface ToolRound {
  observations: readonly Observation[];
  /** Calls were refused again because they only repeat what is known. */
  isCircle: boolean;
}

/**
 * Returns the limit that another round would exceed, or undefined while there is enough left for one more round and the answer.
 */
export function findReachedLimit(progress: Progress, limits: Limits): LimitReason | undefined {
  const { totalTokens, lastTurnTokens, totalCost, lastTurnCost } = progress;
  if (progress.outOfTime) return "time-limit";
  if (progress.toolCalls >= limits.maxToolCalls) return "tool-call-limit";
  if (progress.iterations >= limits.maxIterations) return "iteration-limit";
  if (isSpent(totalTokens, lastTurnTokens, limits.tokenBudget)) return "token-limit";
  if (limits.costBudget !== undefined && isSpent(totalCost, lastTurnCost, limits.costBudget)) return "cost-limit";
  return undefined;
}

/** Is true when one more turn like the last, and an answer of its size, would exceed the budget. */
function isSpent(total: number, lastTurn: number, budget: number): boolean {
  return total + 2 * lastTurn > budget;
}

function isThin({ result, text }: Observation, limits: Limits): boolean {
  return !result.ok || text.trim().length < limits.minResultLength;
}
