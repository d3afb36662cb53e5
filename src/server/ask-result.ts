import type { CallToolResult } from "@modelcontextprotocol/server";
import { partialLine } from "../core/lines.ts";
import { type Locale, say } from "../core/locale.ts";
import type { Outcome } from "../core/outcome.ts";

/** A run's outcome as a tool result: a text that is complete by itself, and the whole as structured content. */
export function toResult(outcome: Outcome, locale: Locale): CallToolResult {
  const text = outcome.success ? answerText(outcome, locale) : failureText(outcome, locale);
  return {
    content: [{ type: "text", text }],
    structuredContent: { ...outcome },
    isError: outcome.success ? undefined : true,
  };
}

function answerText(outcome: Outcome, locale: Locale): string {
  return [outcome.response, partialLine(outcome, locale), howToConfirm(outcome, locale)].filter(Boolean).join("\n\n");
}

/** For the model of a host: how the reader's word to a plan gets here. */
function howToConfirm({ status, conversation_id: id }: Outcome, locale: Locale): string | undefined {
  if (status !== "needs_confirmation") return undefined;
  const call = `agent_ask ${JSON.stringify({ conversation_id: id, mode: "plan", question: "y" })}`;
  return say(locale, {
    zh: `请把计划交给用户确认，再用用户的回复作为 question 调用，例如 ${call}`,
    en: `Have the user confirm the plan, then call with the user's reply as the question, such as ${call}`,
  });
}

function failureText({ status, response, error }: Outcome, locale: Locale): string {
  if (status === "cancelled")
    return [say(locale, { zh: "已取消。", en: "Cancelled." }), response].filter(Boolean).join("\n\n");
  const message = error?.message ?? say(locale, { zh: "运行失败。", en: "The run failed." });
  return [message, error?.hint, response].filter(Boolean).join("\n");
}
