import type { ErrorCode } from "../../kit/errors.ts";
import type { ErrorFacts } from "./error-body.ts";

/** Names what the reader can do: the default of the error code, or something more specific. */
export type Remedy =
  | ErrorCode
  | "address"
  | "certificate"
  | "history"
  | "key-missing"
  | "local-server"
  | "no-tls"
  | "permission"
  | "place"
  | "refused-port"
  | "tool-call"
  | "try-again";

export interface ErrorClass {
  code: ErrorCode;
  retryable: boolean;
  remedy: Remedy;
}

/** Classifies a vendor's error. The text decides before the status, because vendors use one status for many errors. */
export function classifyError(facts: ErrorFacts): ErrorClass {
  const rule = rules.find((candidate) => candidate.when(facts.searchable, facts.status));
  const found = rule?.code ?? "server";
  const remedy = getRemedy(found, facts);
  // No fault of whoever asks: the configuration names the model.
  const isUnknownModel = remedy === "model_not_found" && !cannotDo.test(facts.searchable);
  return { code: isUnknownModel ? remedy : found, retryable: rule?.retryable ?? true, remedy };
}

interface Rule extends Omit<ErrorClass, "remedy"> {
  when(text: string, status: number | undefined): boolean;
}

const rules: Rule[] = [
  {
    code: "context_overflow",
    retryable: false,
    when: (text, status) => status === 413 || (!isServerFault(status) && isOverflow(text, status)),
  },
  { code: "content_filter", retryable: false, when: (text, status) => status !== 429 && filtered.test(text) },
  // On DashScope `insufficient_quota` with these words is a limit per minute; on OpenAI the same code means no money.
  { code: "rate_limit", retryable: true, when: (text, status) => status === 429 && perMinute.test(text) },
  {
    code: "quota",
    retryable: false,
    when: (text, status) => status === 402 || (!isServerFault(status) && noMoney.test(text)),
  },
  { code: "auth", retryable: false, when: (text, status) => status === 401 || status === 403 || noEntry.test(text) },
  { code: "rate_limit", retryable: true, when: (text, status) => status === 429 || (!status && tooMany.test(text)) },
  {
    code: "overloaded",
    retryable: true,
    when: (text, status) => isBusy(status) || (!isClient(status) && busy.test(text)),
  },
  {
    code: "server",
    retryable: true,
    when: (_, status) => status !== undefined && (status >= 500 || isTransient(status)),
  },
  { code: "bad_response", retryable: false, when: (_, status) => status !== undefined && status < 400 },
  { code: "invalid_request", retryable: false, when: (text, status) => isClient(status) || badRequest.test(text) },
];

/** Only the status of a failing server is used, because its text may be anything. */
function isServerFault(status: number | undefined): boolean {
  return status !== undefined && status >= 500;
}

function getRemedy(code: ErrorCode, { searchable, status, page }: ErrorFacts): Remedy {
  if (page && isClient(status)) return "address";
  if (code === "auth" && wrongPlace.test(searchable)) return "place";
  if (code === "auth" && status !== 401 && !badKey.test(searchable)) return "permission";
  if (code !== "invalid_request") return code;
  if (wrongPlace.test(searchable)) return "place";
  if (noModel.test(searchable)) return "model_not_found";
  if (noCall.test(searchable)) return "tool-call";
  if (badHistory.test(searchable)) return "history";
  return status === 404 || status === 405 ? "address" : code;
}

const overflow = matchAny(
  /context.?(length|window|size|limit)|maximum context|max context|maximum prompt length|model_context_window_exceeded/,
  /prompt is too long|prompt too long|input is too long|input length should be|request_too_large/,
  /input token count|prompt token count|too many (input )?tokens|token limit exceeded|model token limit/,
  /reduce the length of the messages|tokens in request more than max/,
);
const filtered = matchAny(
  /content_filter|data_?inspection_?failed|content management policy|content filtering policy|content_policy_violation/,
  /violates usage guidelines|responsibleaipolicy|violating our usage policy|prohibited_content|content exists risk/,
  /flagged by moderation|flagged_input|considered high risk|inappropriate content|不安全或敏感内容/,
);
const perMinute = /^(?!.*\b(hour|week|month|free)).*allocated quota exceeded/is;
const noMoney = matchAny(
  /insufficient_quota|exceeded_current_quota|billing_error|billing_hard_limit|billing_not_active|arrearage/,
  /(insufficient|not enough) (account )?(balance|credits?)|balance is (insufficient|not enough|too low)/,
  /credit balance|requires more credits|used all available credits|account is not active|余额不足|欠费/,
  /spend(ing)? limit|api usage limits|key limit exceeded|\bfree tier\b|freetieronly|free-models-per-day/,
  /(hour|week|month|free)\w* allocated quota|PerDay|limit: 0(?!\.?\d)/,
);
const badKey = matchAny(
  /api_key_invalid|api key not valid|api key expired|invalid_api_key|(incorrect|invalid|no) api[ _]key/,
  /authentication_error|unauthenticated/,
);
const noEntry = matchAny(badKey, /permission_error|permission_denied/);
const tooMany = /rate.?limit|too many requests|throttl|resource_exhausted/i;
const busy = /overloaded|insufficient_system_resource|unavailable|too busy/i;
const badRequest = /invalid_request|not_found|invalid_argument|tool_use_failed/i;
const wrongPlace = /unsupported_country|(country|location)[^.]{0,80} not supported/i;
const noModel = matchAny(
  /model_not_found|model not exist|model.{0,100}? (does not exist|not found|is not found)|not a valid model/,
  /no endpoints found|not_found_error\b.{0,200}\bmodel:|unknown model|模型不存在/,
);
/** OpenRouter says so of a model that it has, and that does not take what was sent. */
const cannotDo = /no endpoints found that/i;
const noCall = /tool_use_failed|failed to call a function/i;
const badHistory = matchAny(
  /reasoning_content|thought_signature|thinking`? block|of type 'reasoning'/,
  /tool_result|tool_call_id|function\.arguments/,
);

function matchAny(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"), "i");
}

function isOverflow(text: string, status: number | undefined): boolean {
  return status !== 429 && !tooMany.test(text) && overflow.test(text);
}

/** Groq sends 498 for "at capacity", and Anthropic sends 529 for "overloaded". */
function isBusy(status: number | undefined): boolean {
  return status === 503 || status === 529 || status === 498;
}

function isClient(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** The request timed out (408), met a lock (409) or came too early (425). */
function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 425;
}
