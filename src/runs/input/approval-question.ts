import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { Approval, ApprovalRequest } from "../../core/tools/tool.ts";
import { toText } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, toSafeJson } from "../../kit/text/sanitize.ts";
import type { HostQuestion } from "./host-question.ts";

export function toApprovalQuestion(
  { tool, rule, arguments: args, onlyOnce }: ApprovalRequest,
  locale: Locale,
): HostQuestion {
  const words = {
    zh: `允许调用 ${tool} 吗？（规则 ${rule}）`,
    en: `Allow the call of ${tool}? (rule ${rule})`,
  };
  const message = sanitize(`${say(locale, words)}\n${toSafeJson(args, 2)}`);
  if (onlyOnce) return { kind: "form", message, form: { type: "object", properties: {} } };
  // In the words that every revision of the protocol knows.
  const scope = {
    type: "string" as const,
    title: say(locale, { zh: "范围", en: "Scope" }),
    enum: ["once", "conversation"],
    enumNames: [
      say(locale, { zh: "仅这一次", en: "this call" }),
      say(locale, { zh: "本对话中的此类调用", en: "similar calls in this conversation" }),
    ],
    default: "once",
  };
  return { kind: "form", message, form: { type: "object", properties: { scope } } };
}

/** Returns the user's decision, or undefined when the reply is not from a user. */
export function toApproval(reply: ElicitationReply): Approval | undefined {
  if (reply.action !== "accept") return reply.action === "decline" ? "no" : undefined;
  return toText(reply.content?.scope) === "conversation" ? "conversation" : "once";
}
