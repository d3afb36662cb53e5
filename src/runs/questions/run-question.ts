import type { PlanStep } from "../../core/events.ts";
import type { Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import type { PlanReply } from "../../core/plan-reply.ts";
import type { Approval, ApprovalRequest } from "../../core/tools/permission.ts";

/** What a run wants to know of a person, and where the answer goes. */
export type RunQuestion =
  | { readonly kind: "call"; readonly request: ApprovalRequest; answer(approval: Approval | undefined): void }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[]; answer(reply: PlanReply | undefined): void }
  | { readonly kind: "elicitation"; readonly elicitation: Elicitation; answer(reply: ElicitationReply): void };

/** A question that is open. */
export interface OpenQuestion {
  /** Its own: asked again, it is another question. */
  readonly id: string;
  readonly question: RunQuestion;
  /** Whether somebody's host is showing it. */
  readonly isAsked: boolean;
  /** Until when it waits, in milliseconds since 1970. */
  readonly until: number;
  /** Aborts when it is answered, by whomever, or given up. */
  readonly closed: AbortSignal;
  /** Somebody's host begins to show it; it is free for others again when the function that it gives is called. */
  show(): () => void;
  /** Nobody's word. */
  withdraw(): void;
}
