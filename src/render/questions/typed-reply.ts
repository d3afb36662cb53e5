import { readPlanReply } from "../../core/questions/plan-reply.ts";
import type { QuestionKind, UserReply } from "../../core/questions/user-question.ts";
import { readYesNo } from "../../core/questions/yes-no.ts";

/**
 * Reads an answer that was typed in place of pressing a button. It is undefined where the text is no answer to such a question. Other
 * words than yes and no say what to do instead of a call, or what to change in a plan; a command says neither.
 */
export function readTypedReply(kind: QuestionKind, text: string): UserReply | undefined {
  const isCommand = text.startsWith("/");
  if (kind === "plan") return isCommand ? undefined : readPlanReply(text);
  const isYes = readYesNo(text);
  if (kind === "call" && isYes === undefined) return isCommand ? undefined : { instead: text };
  if (isYes === undefined) return undefined;
  if (kind === "call") return isYes ? "once" : "no";
  return kind === "limit" ? (isYes ? "go_on" : "stop") : undefined;
}
