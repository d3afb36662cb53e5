import type { PlanStep } from "../../core/events.ts";
import type { Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import type { PlanReply } from "../../core/questions/plan-reply.ts";
import type { Approval, ApprovalRequest } from "../../core/tools/tool.ts";

/** Represents what a run asks a person, and the function that takes the answer. */
export type RunQuestion =
  | { readonly kind: "call"; readonly request: ApprovalRequest; answer(approval: Approval | undefined): void }
  | { readonly kind: "plan"; readonly steps: readonly PlanStep[]; answer(reply: PlanReply | undefined): void }
  | { readonly kind: "elicitation"; readonly elicitation: Elicitation; answer(reply: ElicitationReply): void };

export interface OpenQuestion {
  /** Is unique: the same question asked again has another id. */
  readonly id: string;
  readonly question: RunQuestion;
  /** Is true while a host is showing the question. */
  readonly isAsked: boolean;
  /** Is when the question is given up, in milliseconds since 1970. */
  readonly until: number;
  /** Aborts when it is answered, by whomever, or given up. */
  readonly closed: AbortSignal;
  /** Marks the question as shown by a host. The returned function frees it for others again. */
  show(): () => void;
  /** Closes the question without an answer. */
  withdraw(): void;
}
