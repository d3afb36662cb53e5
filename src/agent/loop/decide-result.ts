import type { Verdict } from "../../core/events.ts";
import type { FinishReason } from "../../core/model.ts";
import type { DuetError } from "../../kit/errors.ts";
import type { Observation } from "./act.ts";

/** What deciding and acting came to. */
export interface DecideResult {
  observations: Observation[];
  reason: Extract<Verdict, { verdict: "answer" }>["reason"];
  /** With one model: its last decide turn was, or began, the answer. */
  answer?: AnswerResult;
  /** Why deciding ended early, although there are results to answer from. */
  error?: DuetError | undefined;
  /** The evaluator's own reason. */
  custom?: string | undefined;
  /** Plan mode: what was written is no answer. */
  halt?: PlanHalt;
}

/** A plan that waits for somebody's reply, as the conversation keeps it, or one that nobody wants. */
export type PlanHalt = { halt: "unconfirmed"; pendingPlan: string } | { halt: "declined" };

/** How writing the answer ended; `undefined` finish: no model finished it. */
export interface AnswerResult {
  finish: FinishReason | undefined;
  error?: DuetError;
}
