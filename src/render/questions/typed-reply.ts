import { readPlanReply } from "../../core/questions/plan-reply.ts";
import type { QuestionKind, UserReply } from "../../core/questions/user-question.ts";
import { readYesNo } from "../../core/questions/yes-no.ts";

/** Reads an answer that was typed in place of pressing a button. It is undefined where the text is no answer to such a question. */
export function readTypedReply(kind: QuestionKind, text: string): UserReply | undefined {
  if (kind === "plan") return text.startsWith("/") ? undefined : readPlanReply(text);
  const isYes = readYesNo(text);
  if (isYes === undefined) return undefined;
  if (kind === "call") return isYes ? "once" : "no";
  return kind === "limit" ? (isYes ? "go_on" : "stop") : undefined;
}
