import type { ApproveCall } from "../../core/tools/tool.ts";
import type { Session } from "./sessions.ts";

/** Asks, unless the conversation has agreed to all calls of that tool under that rule, or refused them. */
export function rememberApprovals(ask: ApproveCall, { approved, refused }: Session): ApproveCall {
  return async (request, signal) => {
    const kind = JSON.stringify([request.tool, request.rule]);
    if (refused.has(kind)) return "never";
    if (!request.onlyOnce && approved.has(kind)) return "conversation";
    const answer = await ask(request, signal);
    if (answer === "never") refused.add(kind);
    if (answer === "conversation" && !request.onlyOnce) approved.add(kind);
    return answer;
  };
}
