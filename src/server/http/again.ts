import type { ErrorReport } from "../../core/errors.ts";

/** A status that asks to come back, and when. */
export interface Again {
  status: 429 | 503;
  headers: Readonly<Record<string, string>>;
}

/**
 * Says how HTTP tells that a run failed of something that passes: 429 for a vendor's rate limit, 503 for a model that is
 * busy or paused for a time that is known. Undefined for all else.
 */
export function againOf({ code, retry_after_s: seconds }: ErrorReport): Again | undefined {
  const headers: Again["headers"] = seconds === undefined ? {} : { "retry-after": String(seconds) };
  if (code === "rate_limit") return { status: 429, headers };
  return code === "overloaded" && seconds !== undefined ? { status: 503, headers } : undefined;
}
