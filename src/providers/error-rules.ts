import type { ErrorCode } from "../core/errors.ts";
import type { ErrorFacts } from "./error-body.ts";

export interface ErrorClass {
  code: ErrorCode;
  retryable: boolean;
}

/** The class of a vendor's error. Words come before the status, for vendors use one status for many things. */
export function classify(facts: ErrorFacts): ErrorClass {
  const rule = rules.find((candidate) => candidate.when(facts.searchable, facts.status));
  return { code: rule?.code ?? "server", retryable: rule?.retryable ?? true };
}

interface Rule extends ErrorClass {
  when(text: string, status: number | undefined): boolean;
}

const rules: Rule[] = [
  { code: "context_overflow", retryable: false, when: (text, status) => status === 413 || overflows(text, status) },
  { code: "content_filter", retryable: false, when: (text, status) => status !== 429 && filtered.test(text) },
  // On DashScope `insufficient_quota` with these words is a limit per minute; on OpenAI the same code means no money.
  { code: "rate_limit", retryable: true, when: (text, status) => status === 429 && perMinute.test(text) },
  { code: "quota", retryable: false, when: (text, status) => status === 402 || noMoney.test(text) },
  { code: "auth", retryable: false, when: (text, status) => status === 401 || status === 403 || badKey.test(text) },
  { code: "rate_limit", retryable: true, when: (text, status) => status === 429 || (!status && tooMany.test(text)) },
  {
    code: "overloaded",
    retryable: true,
    when: (text, status) => isBusy(status) || (!isClient(status) && busy.test(text)),
  },
  {
    code: "server",
    retryable: true,
    when: (_, status) => status !== undefined && (status >= 500 || transient(status)),
  },
  { code: "bad_response", retryable: false, when: (_, status) => status !== undefined && status < 400 },
  { code: "invalid_request", retryable: false, when: (text, status) => isClient(status) || badRequest.test(text) },
];

const overflow =
  /context.?(length|window|size)|maximum context|max context|prompt is too long|input length should be|input token count|too many (input )?tokens|request_too_large|model_context_window_exceeded/i;
const filtered =
  /content_filter|data_inspection_failed|content management policy|violates usage guidelines|responsibleaipolicy|flagged by moderation/i;
const perMinute = /^(?!.*\b(hour|week|month))(?!.*free tier).*allocated quota exceeded/is;
const noMoney =
  /insufficient_quota|insufficient balance|credit balance|arrearage|billing_error|spend(ing)? limit|\bfree tier\b|(hour|week|month)\w* allocated quota|PerDay|limit: 0(?!\d)/i;
const badKey =
  /api_key_invalid|api key not valid|invalid_api_key|incorrect api key|authentication_error|permission_error/i;
const tooMany = /rate.?limit|too many requests|throttl|resource_exhausted/i;
const busy = /overloaded|insufficient_system_resource|unavailable|too busy/i;
const badRequest = /invalid_request|not_found|invalid_argument/i;

function overflows(text: string, status: number | undefined): boolean {
  return status !== 429 && !tooMany.test(text) && overflow.test(text);
}

/** 498 is Groq's word for "at capacity", 529 Anthropic's for "overloaded". */
function isBusy(status: number | undefined): boolean {
  return status === 503 || status === 529 || status === 498;
}

function isClient(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** The request did not get through in time (408), met a lock (409) or came too early (425). */
function transient(status: number): boolean {
  return status === 408 || status === 409 || status === 425;
}
