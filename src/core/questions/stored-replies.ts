import type { ElicitationReply } from "../forms/elicitation.ts";
import type { Approval } from "../tools/tool.ts";
import { callReplySchema, formReplySchema } from "./reply-schemas.ts";

/** Recognises a decision about a call that was stored. */
export function isApproval(value: unknown): value is Approval {
  return callReplySchema.safeParse(value).success;
}

/** Recognises the reply to a form or an address that was stored. */
export function isElicitationReply(value: unknown): value is ElicitationReply {
  return formReplySchema.safeParse(value).success;
}
