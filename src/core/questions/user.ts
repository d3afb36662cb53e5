import type { AskElicitation, Elicit } from "../forms/elicitation.ts";
import type { PlanStep } from "../run/events.ts";
import type { Approve, ApproveCall } from "../tools/tool.ts";
import type { PlanReply } from "./plan-reply.ts";
import type { AskUser, QuestionKind, UserQuestion, UserReply } from "./user-question.ts";

/** Represents the person whom a run may ask. It is absent where nobody can be asked. */
export interface User {
  /** Returns true when the user can be asked a question of this kind. */
  canAsk(kind: QuestionKind): boolean;
  readonly ask: AskUser;
  /** Stands for the person: users with the same one are the same person. */
  readonly person: object;
  /** Is whose person it is, as in `Caller.owner`; absent where callers are not told apart. */
  readonly owner?: string | undefined;
}

/** Returns true when there is a user who can be asked a question of this kind. */
export function canAskUser(user: User | undefined, kind: QuestionKind): user is User {
  return user?.canAsk(kind) ?? false;
}

/** Asks for approval on behalf of a tool; undefined where the user cannot be asked. Rejects when the signal aborts. */
export function createApprove(user: User | undefined, signal: AbortSignal): Approve | undefined {
  if (!canAskUser(user, "call")) return undefined;
  return (request, withdrawn) =>
    user.ask({ kind: "call", ...request }, withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn]));
}

/** Hands on the questions of programs below; undefined where the user cannot be asked. The signal withdraws them as well. */
export function createElicit(user: User | undefined, signal: AbortSignal): Elicit | undefined {
  if (!canAskUser(user, "form")) return undefined;
  const elicit: Elicit = async (question, withdrawn) => {
    const stop = withdrawn === undefined ? signal : AbortSignal.any([signal, withdrawn]);
    try {
      return await user.ask(question, stop);
    } catch {
      return undefined;
    }
  };
  return Object.assign(elicit, { person: user.person, owner: user.owner });
}

/** Shows a plan to somebody and waits for the reply; undefined when nobody replies. Rejects when the signal aborts. */
export type ConfirmPlan = (steps: readonly PlanStep[], signal: AbortSignal) => Promise<PlanReply | undefined>;

/** Holds one function for each kind of question, as a program that embeds Duet gives them. */
export interface UserCallbacks {
  /** Shows a plan to somebody who can say yes, no, or what to change; absent where nobody can be asked. */
  confirmPlan?: ConfirmPlan | undefined;
  /** Shows a call that needs consent to somebody who can give it; absent where nobody can be asked, so that it does not run. */
  approveCall?: ApproveCall | undefined;
  /** Shows a question of a downstream server to somebody who can answer it; absent where nobody can be asked, so that it is cancelled. */
  elicit?: AskElicitation | undefined;
}

type AskKind<K extends QuestionKind> = (
  question: UserQuestion<K>,
  signal: AbortSignal,
) => Promise<UserReply<K> | undefined>;

/** Returns the user behind the functions. */
export function toUser({ confirmPlan, approveCall, elicit }: UserCallbacks): User {
  const functions: { [K in QuestionKind]?: AskKind<K> | undefined } = {
    call: approveCall && (({ kind, ...request }, signal) => approveCall(request, signal)),
    plan: confirmPlan && (({ steps }, signal) => confirmPlan(steps, signal)),
    form: elicit,
    limit: undefined,
    url: elicit,
  };
  return {
    canAsk: (kind) => functions[kind] !== undefined,
    person: elicit ?? functions,
    ask: async (question, signal) => functions[question.kind]?.(question, signal),
  };
}

/** Returns a user like this one for whom the function approves calls. */
export function answerCalls(user: User | undefined, approveCall: ApproveCall): User {
  const calls = toUser({ approveCall });
  if (user === undefined) return calls;
  return {
    canAsk: (kind) => kind === "call" || user.canAsk(kind),
    person: user.person,
    owner: user.owner,
    ask: (question, signal) => (question.kind === "call" ? calls : user).ask(question, signal),
  };
}
