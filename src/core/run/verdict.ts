import type { LimitReason } from "../limits/limits.ts";

/** Holds the decision after a round of tool calls, and its reason. */
export type Verdict =
  | { verdict: "continue"; reason: "result-thin" | "tool-failed" | "model-decides" | "custom" }
  | {
      verdict: "answer";
      reason:
        | "model-decided"
        | "model-failed"
        | "turn-cut"
        | "model-refused"
        | "sufficient"
        | LimitReason
        // As many calls as are allowed have run, and none was refused.
        | "calls-used"
        | "repetition"
        | "plan-done"
        | "plan-failed"
        // The rules answer, and no model was asked.
        | "rules-answered"
        | "custom";
    };

/** Returns true when a limit ends the tool calls, rather than a model or a result. Such an end is also reported by a notice. */
export function isLimit({ reason }: Pick<Verdict, "reason">): boolean {
  return reason.endsWith("-limit") || reason === "repetition";
}
