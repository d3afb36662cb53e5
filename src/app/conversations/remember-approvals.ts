import { answerCalls, canAskUser, type User } from "../../core/questions/user.ts";
import type { Session } from "./sessions.ts";

/** Asks, unless the conversation has agreed to all calls of that tool under that rule, or refused them. */
export function rememberApprovals(user: User, { approved, refused }: Session): User {
  if (!canAskUser(user, "call")) return user;
  return answerCalls(user, async (request, signal) => {
    const kind = JSON.stringify([request.tool, request.rule]);
    if (refused.has(kind)) return "never";
    if (!request.onlyOnce && approved.has(kind)) return "conversation";
    const answer = await user.ask({ kind: "call", ...request }, signal);
    if (answer === "never") refused.add(kind);
    if (answer === "conversation" && !request.onlyOnce) approved.add(kind);
    return answer;
  });
}
