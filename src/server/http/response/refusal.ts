import type { Outcome } from "../../../core/run/outcome.ts";
import { DuetError, toSeconds } from "../../../kit/errors.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { Dialect, HttpRefusal } from "./dialects.ts";
import { errorTable } from "./error-table.ts";

/** Is thrown when a request cannot be served. */
export class HttpRefusalError extends Error {
  override readonly name = "HttpRefusalError";
  readonly refusal: HttpRefusal;

  constructor(refusal: HttpRefusal) {
    super(refusal.text.en);
    this.refusal = refusal;
  }
}

/** Returns the refusal for a thrown value. Returns undefined for a fault of the program, whose message is not for the client. */
export function toRefusal(thrown: unknown): HttpRefusal | undefined {
  if (thrown instanceof HttpRefusalError) return thrown.refusal;
  if (!(thrown instanceof DuetError) || thrown.code === "internal") return undefined;
  const { code, text, hint, retryAfterMs } = thrown;
  const headers = retryAfterMs === undefined ? undefined : { "retry-after": String(toSeconds(retryAfterMs)) };
  // A key of ours that somebody else refuses is none that the caller sent.
  return { status: code === "auth" ? 500 : errorTable[code].status, error: code, text, hint, headers };
}

/** Renders a refusal in the client's language and format, with its content type. */
export function renderRefusal(
  refusal: HttpRefusal,
  locale: Locale,
  dialect: Dialect,
  requestId?: string,
): { type: string; body: string } {
  const { type, body } = dialect(refusal, refusal.locale ?? locale, requestId);
  return { type, body: JSON.stringify(body) };
}

export function toRefusalResponse(
  refusal: HttpRefusal,
  locale: Locale,
  dialect: Dialect,
  requestId?: string,
): Response {
  const { type, body } = renderRefusal(refusal, locale, dialect, requestId);
  return new Response(body, { status: refusal.status, headers: { "content-type": type, ...refusal.headers } });
}

/** Answers an unexpected error on the HTTP side. The cause is for the operator, not for the caller. */
export const internal: HttpRefusal = {
  status: 500,
  error: "internal",
  code: -32603,
  text: { zh: "服务器内部错误", en: "internal server error" },
};

export const closing: HttpRefusal = {
  status: 503,
  error: "overloaded",
  text: { zh: "服务器正在关闭", en: "the server is closing" },
  headers: { "retry-after": "5" },
};

/** Holds a status that asks the client to try again, and says when. */
export interface RetryResponse {
  status: 429 | 503;
  headers: Readonly<Record<string, string>>;
}

/**
 * Says how HTTP tells that a run failed of something that passes at a known time, before it had done anything: 429 for a
 * vendor's rate limit or a caller's daily limit, 503 for a model that is busy or paused. Undefined for all else: clients repeat these statuses by
 * themselves, and a run that called a tool must not be repeated unasked.
 */
export function toRetryResponse({ status, error, tool_calls: calls }: Outcome): RetryResponse | undefined {
  if (status !== "failed" || error?.retry_after_s === undefined || calls.length > 0) return undefined;
  const headers = { "retry-after": String(error.retry_after_s) };
  if (error.code === "rate_limit" || error.code === "quota") return { status: 429, headers };
  return error.code === "overloaded" ? { status: 503, headers } : undefined;
}
