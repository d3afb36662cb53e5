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
  return [outcome.response, partialLine(outcome, locale)].filter(Boolean).join("\n\n");
}

function failureText({ status, response, error }: Outcome, locale: Locale): string {
  if (status === "cancelled")
    return [say(locale, { zh: "已取消。", en: "Cancelled." }), response].filter(Boolean).join("\n\n");
  const message = error?.message ?? say(locale, { zh: "运行失败。", en: "The run failed." });
  return [message, error?.hint, response].filter(Boolean).join("\n");
}
