import { showValue } from "../core/tools/argument-feedback.ts";
import { DuetError } from "../kit/errors.ts";

/** Throws `invalid_request` for an id that no address can name: a path is read without its `.` and `..`. */
export function checkConversationId(id: string | undefined): void {
  if (id !== "." && id !== "..") return;
  const shown = showValue(id);
  throw new DuetError({
    code: "invalid_request",
    text: {
      zh: `conversation_id: ${shown} 不可用（允许：除 "." 和 ".." 以外的编号）`,
      en: `conversation_id: ${shown} is not allowed (allowed: any id but "." and "..")`,
    },
  });
}
