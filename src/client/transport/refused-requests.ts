import { readRetryAfterHeader } from "../../kit/net/retry-after.ts";
import type { Fetch } from "./limited-fetch.ts";

/** Reports that a server takes no request now, and in how many milliseconds it may be asked again. */
export class RetryLaterError extends Error {
  /** Holds what the errors of the package hold. */
  readonly data: { status: number; text: string };
  readonly retryAfterMs: number;

  constructor(status: number, text: string, retryAfterMs: number) {
    super(`The server answered with HTTP ${status}`);
    this.data = { status, text };
    this.retryAfterMs = retryAfterMs;
  }
}

/** Returns a `fetch` that rejects with `RetryLaterError`, because the errors of the package leave out the `Retry-After` header. */
export function rejectRefusals(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, headers } = response;
    if (status !== 429 && status !== 503) return response;
    const retryAfterMs = readRetryAfterHeader(headers.get("retry-after"));
    if (retryAfterMs === undefined) return response;
    throw new RetryLaterError(status, await response.text().catch(() => ""), retryAfterMs);
  };
}
