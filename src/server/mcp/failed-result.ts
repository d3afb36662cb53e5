import type { CallToolResult } from "@modelcontextprotocol/server";
import { toDuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";

/** Renders an error as text for the host's model. */
export function toFailedResult(thrown: unknown, locale: Locale): CallToolResult {
  const { text, hint } = toDuetError(thrown);
  return createFailedResult([say(locale, text), hint && say(locale, hint)].filter(Boolean).join("\n"));
}

export function createFailedResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
