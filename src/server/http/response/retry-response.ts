import type { Outcome } from "../../../core/outcome.ts";

/** Holds a status that asks the client to try again, and says when. */
export interface RetryResponse {
  status: 429 | 503;
  headers: Readonly<Record<string, string>>;
}

/**
 * Says how HTTP tells that a run failed of something that passes at a known time, before it had done anything: 429 for a
 * vendor's rate limit, 503 for a model that is busy or paused. Undefined for all else: clients repeat these statuses by
 * themselves, and a run that called a tool must not be repeated unasked.
 */
export function toRetryResponse({ status, error, tool_calls: calls }: Outcome): RetryResponse | undefined {
  if (status !== "failed" || error?.retry_after_s === undefined || calls.length > 0) return undefined;
  const headers = { "retry-after": String(error.retry_after_s) };
  if (error.code === "rate_limit") return { status: 429, headers };
  return error.code === "overloaded" ? { status: 503, headers } : undefined;
}
