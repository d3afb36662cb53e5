import type { Elicitation, ElicitationReply } from "../../core/elicitation.ts";
import type { PlanStep } from "../../core/events.ts";
import type { Approval, ApprovalRequest } from "../../core/permission.ts";
import type { PlanReply } from "../../core/plan-reply.ts";

/** What a run wants to know of a person, and where the answer goes. */
export type RunQuestion =
  | { readonly kind: "call"; readonly request: ApprovalRequest; answer(approval: Approval | undefined): void }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[]; answer(reply: PlanReply | undefined): void }
  | { readonly kind: "elicitation"; readonly elicitation: Elicitation; answer(reply: ElicitationReply): void };

/** A question that is open. */
export interface OpenQuestion {
  readonly question: RunQuestion;
  /** Somebody's host is showing it. */
  isAsked: boolean;
  /** Since when it waits and until when it does, in milliseconds since 1970. */
  readonly until: number;
  /** Nobody's word. */
  giveUp(): void;
}
