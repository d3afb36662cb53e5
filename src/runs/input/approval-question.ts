import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { Approval, ApprovalRequest } from "../../core/tools/permission.ts";
import { textOf } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { printable, printableJson } from "../../kit/text/sanitize.ts";
import type { Question } from "./host-question.ts";

/** A call that needs consent, as a host's user sees it. */
export function approvalQuestion({ tool, rule, arguments: args, onlyOnce }: ApprovalRequest, locale: Locale): Question {
  const words = {
    zh: `允许调用 ${tool} 吗？（规则 ${rule}）`,
    en: `May ${tool} be called? (rule ${rule})`,
  };
  const message = printable(`${say(locale, words)}\n${printableJson(args, 2)}`);
  if (onlyOnce) return { kind: "form", message, form: { type: "object", properties: {} } };
  // In the words that every revision of the protocol knows.
  const scope = {
    type: "string" as const,
    title: say(locale, { zh: "范围", en: "For" }),
    enum: ["once", "conversation"],
    enumNames: [
      say(locale, { zh: "仅这一次", en: "this call" }),
      say(locale, { zh: "本对话中的此类调用", en: "calls like it in this conversation" }),
    ],
    default: "once",
  };
  return { kind: "form", message, form: { type: "object", properties: { scope } } };
}

/** What the user has said; undefined where it is nobody's word. */
export function toApproval(reply: ElicitationReply): Approval | undefined {
  if (reply.action !== "accept") return reply.action === "decline" ? "no" : undefined;
  return textOf(reply.content?.scope) === "conversation" ? "conversation" : "once";
}
