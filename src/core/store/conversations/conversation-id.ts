import { isBlank } from "../../../kit/text/is-blank.ts";

/** Returns true for a text that may be the ID of a conversation: lists show it as it is, on one line. */
export function isConversationId(text: string): boolean {
  return !isBlank(text) && text.length <= 200 && !/[\p{Cc}\u2028\u2029]/u.test(text);
}
