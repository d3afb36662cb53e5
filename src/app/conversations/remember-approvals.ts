import { answerCalls, canAskUser, type User } from "../../core/questions/user.ts";
import { tryParseJson } from "../../kit/json.ts";
import type { Session } from "./sessions.ts";

/**
 * Asks, unless the conversation has agreed to all calls of that tool under that rule, or refused them. `onChange` is told of each answer
 * that holds on.
 */
export function rememberApprovals(user: User, { approved, refused }: Session, onChange: () => void = () => {}): User {
  if (!canAskUser(user, "call")) return user;
  return answerCalls(user, async (request, signal) => {
    const kind = toKind(request);
    if (refused.has(kind)) return "never";
    if (!request.onlyOnce && approved.has(kind)) return "conversation";
    const answer = await user.ask({ kind: "call", ...request }, signal);
    if (answer === "never") refused.add(kind);
    if (answer === "conversation" && !request.onlyOnce) approved.add(kind);
    if (answer === "never" || answer === "conversation") onChange();
    return answer;
  });
}

/** Is a yes or a no that holds for the rest of a conversation, for all calls of a tool under a rule. */
export interface RememberedApproval {
  answer: "conversation" | "never";
  tool: string;
  rule: string;
}

/** Lists what was agreed to, and then what was refused. */
export function listApprovals({ approved, refused }: Session): RememberedApproval[] {
  return [
    ...[...approved].flatMap((kind) => fromKind(kind, "conversation")),
    ...[...refused].flatMap((kind) => fromKind(kind, "never")),
  ];
}

/** Forgets one of them, so that the next such call is asked about again. */
export function revokeApproval({ approved, refused }: Session, approval: RememberedApproval): void {
  (approval.answer === "never" ? refused : approved).delete(toKind(approval));
}

function toKind({ tool, rule }: { tool: string; rule: string }): string {
  return JSON.stringify([tool, rule]);
}

function fromKind(kind: string, answer: RememberedApproval["answer"]): RememberedApproval[] {
  const read = tryParseJson(kind);
  const [tool, rule] = Array.isArray(read) ? read : [];
  return typeof tool === "string" && typeof rule === "string" ? [{ answer, tool, rule }] : [];
}
