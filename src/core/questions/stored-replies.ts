import * as z from "zod";
import type { ElicitationReply } from "../forms/elicitation.ts";
import type { Approval } from "../tools/tool.ts";
import {
  getApprovalSchema,
  getCallReplySchema,
  getFormReplySchema,
  getInsteadSchema,
  getLimitReplySchema,
  getPlanReplySchema,
  getUrlReplySchema,
} from "./reply-schemas.ts";
import type { QuestionKind, UserQuestion, UserReply } from "./user-question.ts";

/** Recognises a decision about a call that was stored. */
export function isApproval(value: unknown): value is Approval {
  return getCallReplySchema().safeParse(value).success;
}

/** Recognises the reply to a form or an address that was stored. */
export function isElicitationReply(value: unknown): value is ElicitationReply {
  return getFormReplySchema().safeParse(value).success;
}

/** Returns the schema of the replies to a question. An approval that counts once is not given for the conversation. */
export function getReplySchema<K extends QuestionKind>(question: UserQuestion<K>): z.ZodType<UserReply<K>> {
  const replies: { [P in QuestionKind]: (question: UserQuestion<P>) => z.ZodType<UserReply<P>> } = {
    call: ({ onlyOnce }) =>
      z.union([
        onlyOnce ? getApprovalSchema().extract(["once", "no", "dismissed"]) : getApprovalSchema(),
        getInsteadSchema(),
      ]),
    plan: () => getPlanReplySchema(),
    form: () => getFormReplySchema(),
    limit: () => getLimitReplySchema(),
    url: () => getUrlReplySchema(),
  };
  return replies[question.kind](question);
}
