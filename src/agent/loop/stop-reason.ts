import type { Verdict } from "../../core/events.ts";
import type { StopReason } from "../../core/outcome.ts";

/** Why the tool calls of a run ended. */
export type AnswerReason = Extract<Verdict, { verdict: "answer" }>["reason"];

/** The same in the outcome's words. */
export const stopReasons: Record<AnswerReason, StopReason> = {
  "model-decided": "answered",
  sufficient: "answered",
  "plan-done": "answered",
  custom: "answered",
  "model-failed": "error",
  "model-refused": "refused",
  "turn-cut": "length",
  "iteration-limit": "iteration_limit",
  "tool-call-limit": "tool_call_limit",
  "time-limit": "time_limit",
  "token-limit": "token_limit",
  "cost-limit": "cost_limit",
  "plan-failed": "error",
  repetition: "repetition",
};

/** Whether the tool calls ended before their work was done, so that something may be missing. */
export function isEarlyEnd(reason: AnswerReason): boolean {
  return stopReasons[reason] !== "answered";
}
