import type { ToolResult } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { explainRefusal } from "./explain.ts";
import type { ServiceRefusal } from "./services/known-service.ts";

/** A call waits at most this long for its second attempt, in milliseconds. The model decides about longer waits. */
const longestPauseMs = 2000;

export interface RetriableCall {
  /** Sends the call. */
  send(): Promise<ToolResult>;
  /** Lets no call to the same server begin for so long, in milliseconds. */
  rest(ms: number): void;
  locale: Locale;
}

/**
 * Returns the result of a call. A call refused for too many requests per second is sent once more after the pause, because the
 * first one had no effect. Any other refusal becomes a failure that says what it means and what to do.
 */
export async function retryAfterRefusal({ send, rest, locale }: RetriableCall): Promise<ToolResult> {
  const result = await send();
  const refusal = refusalIn(result);
  if (!refusal) return result;
  const { retryAfterMs = Number.POSITIVE_INFINITY } = refusal;
  if (retryAfterMs > longestPauseMs) return explained(result, refusal, locale);
  rest(retryAfterMs);
  const second = await send();
  const still = refusalIn(second);
  return still ? explained(second, still, locale) : second;
}

/** Reads only what the server itself said, and not the text that Duet adds. */
function refusalIn({ ok, text, error }: ToolResult): ServiceRefusal | undefined {
  return ok || error?.code === "tool" ? explainRefusal(text, !ok) : undefined;
}

function explained(result: ToolResult, { code, text }: ServiceRefusal, locale: Locale): ToolResult {
  const message = say(locale, text);
  return { ...result, ok: false, text: `${result.text.trim()}\n${message}`, error: { code, message } };
}
