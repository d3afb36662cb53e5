import type { Verdict } from "../../core/verdict.ts";
import { findReachedLimit, type Progress } from "../limits/progress.ts";
import type { Limits } from "../limits/run-clock.ts";
import type { Observation } from "./act.ts";

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

function isThin({ result, text }: Observation, limits: Limits): boolean {
  return !result.ok || text.trim().length < limits.minResultLength;
}
