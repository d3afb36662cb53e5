import type { ModelSettings } from "../../core/model/model-settings.ts";
import { DuetError, type ErrorCode, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { findProxyError } from "../../kit/net/proxy-errors.ts";
import { describeRefusedPort } from "../../kit/net/refused-port.ts";
import { findFailureReason } from "../../kit/net/request-errors.ts";
import { readRetryAfterHeader } from "../../kit/net/retry-after.ts";
import { withoutTls } from "../../kit/net/tls-mismatch.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { readErrorBody } from "./error-body.ts";
import { createHint, findConnectionRemedy } from "./error-hints.ts";
import { classifyError, type Remedy } from "./error-rules.ts";

/** Identifies the model that failed. The key is included so that it can be removed from the shown text. */
export type ErrorOrigin = Pick<
  ModelSettings,
  "provider" | "model" | "apiKey" | "apiKeyEnv" | "apiKeyCommand" | "baseUrl" | "network"
>;

export interface HttpFailure {
  status: number;
  headers: Headers | undefined;
  /** Holds text, or a value that a package has already parsed. */
  body: unknown;
  /** Says why the body is not whole. */
  bodyProblem?: Text | undefined;
}

/** Converts an HTTP response with an error status, in the format of any vendor. */
export function httpError(failure: HttpFailure, origin: ErrorOrigin): DuetError {
  const facts = readErrorBody(failure.body, failure.status);
  const { code, retryable: transient, remedy } = classifyError(facts);
  // OpenAI's and Anthropic's servers say so where they know better than the status.
  const retryable = transient && failure.headers?.get("x-should-retry") !== "false";
  const wait = retryable ? readRetryAfter(failure.headers, facts.searchable) : undefined;
  return new DuetError({
    code,
    text: addBodyProblem(
      describeVendorError(origin, code, `HTTP ${failure.status}`, facts.message),
      failure.bodyProblem,
    ),
    hint: createHint(remedy, { ...origin, retryAfterMs: wait }),
    retryable,
    retryAfterMs: wait,
    status: failure.status,
  });
}

/** Converts an error inside a stream that began as a success. */
export function streamError(body: unknown, origin: ErrorOrigin): DuetError {
  const facts = readErrorBody(body);
  const { code, retryable, remedy } = classifyError(facts);
  const text = describeVendorError(origin, code, facts.status === undefined ? "" : `${facts.status}`, facts.message);
  return new DuetError({ code, text, hint: createHint(remedy, origin), retryable, status: facts.status });
}

/** Converts a failed connection: refused, reset, not found, closed in the middle. */
export function connectionError(thrown: unknown, origin: ErrorOrigin): DuetError {
  const atProxy = findProxyError(thrown);
  if (atProxy) {
    const { code, text, hint, retryable } = atProxy;
    return new DuetError({ code, text: addName(origin, text), ...(hint && { hint }), retryable, cause: thrown });
  }
  const cause = findRootCause(thrown);
  const [socketCode, message] = [getErrorCode(cause), getMessage(cause)];
  const host = URL.parse(origin.baseUrl)?.host ?? "";
  const remedy = findConnectionRemedy(socketCode, message, origin.baseUrl);
  const told = toErrorText(message.includes(socketCode) ? message : `${socketCode} ${message}`, origin.apiKey);
  const failure = describeFailure(socketCode, told);
  const detail = describeRemedied(remedy, origin.baseUrl) ?? failure;
  return new DuetError({
    code: "network",
    text: addName(origin, {
      zh: `与 ${host} 的连接失败：${detail.zh}`,
      en: `the connection to ${host} failed: ${detail.en}`,
    }),
    hint: createHint(remedy, { ...origin, socketCode }),
    // None of these is any better the next time.
    retryable: !["certificate", "no-tls", "refused-port"].includes(remedy),
    cause: thrown,
  });
}

/** Explains a failure for which the words of the socket or of `fetch` say too little. */
function describeRemedied(remedy: Remedy, baseUrl: string): Text | undefined {
  if (remedy === "refused-port") return describeRefusedPort(baseUrl);
  return remedy === "no-tls" ? withoutTls : undefined;
}

/** Explains a failure whose code alone says what it is, before Node's own words, which are English and name the address. */
function describeFailure(code: string, told: string): Text {
  const known = findFailureReason(code);
  return known ? { zh: `${known.zh}（${told}）`, en: `${known.en} (${told})` } : { zh: told, en: told };
}

/** Reports a response that is no turn: cut off, empty, or not in this format. */
export function badResponseError(
  origin: ErrorOrigin,
  text: Text,
  more: { retryable: boolean; detail?: string },
): DuetError {
  const detail = more.detail ? toErrorText(more.detail, origin.apiKey) : "";
  return new DuetError({
    code: "bad_response",
    text: addName(origin, { zh: text.zh + (detail && `：${detail}`), en: text.en + (detail && `: ${detail}`) }),
    // What may go well the next time has the right address.
    hint: createHint(more.retryable ? "try-again" : "bad_response", origin),
    retryable: more.retryable,
  });
}

export function idleTimeoutError(origin: ErrorOrigin, text: Text): DuetError {
  return new DuetError({
    code: "timeout",
    text: addName(origin, text),
    hint: createHint("timeout", origin),
    retryable: true,
  });
}

/** Reports a key that is not set or cannot be sent, before any request. */
export function keyError(origin: ErrorOrigin): DuetError {
  const name = origin.apiKeyEnv ?? "";
  const text = origin.apiKey
    ? { zh: `环境变量 ${name} 中的密钥含有不能发送的字符`, en: `the key in ${name} has characters that cannot be sent` }
    : { zh: `缺少密钥：环境变量 ${name} 未设置`, en: `the key is missing: ${name} is not set` };
  const remedy = origin.apiKey ? "auth" : "key-missing";
  return new DuetError({ code: "auth", text: addName(origin, text), hint: createHint(remedy, origin) });
}

function describeVendorError(origin: ErrorOrigin, code: ErrorCode, status: string, message: string): Text {
  const kind = kinds[code] ?? { zh: "请求失败", en: "the request failed" };
  const detail = toErrorText(message, origin.apiKey);
  return addName(origin, {
    zh: kind.zh + (status && `（${status}）`) + (detail && `：${detail}`),
    en: kind.en + (status && ` (${status})`) + (detail && `: ${detail}`),
  });
}

function addBodyProblem({ zh, en }: Text, problem: Text | undefined): Text {
  return problem === undefined ? { zh, en } : { zh: `${zh}（${problem.zh}）`, en: `${en} (${problem.en})` };
}

function addName(origin: ErrorOrigin, text: Text): Text {
  const name = `${origin.provider}/${origin.model}`;
  return { zh: `${name}：${text.zh}`, en: `${name}: ${text.en}` };
}

/** Unwraps the socket's error, which the packages wrap once or twice. */
function findRootCause(thrown: unknown): unknown {
  let cause = thrown;
  for (let depth = 0; depth < 5 && cause instanceof Error && cause.cause instanceof Error; depth++) cause = cause.cause;
  return cause;
}

function getErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

const kinds: Partial<Record<ErrorCode, Text>> = {
  auth: { zh: "认证失败", en: "authentication failed" },
  quota: { zh: "额度已用完", en: "the account is out of quota" },
  rate_limit: { zh: "请求过于频繁", en: "rate limit reached" },
  invalid_request: { zh: "请求被拒绝", en: "the request was refused" },
  model_not_found: { zh: "没有这个模型", en: "there is no such model" },
  context_overflow: { zh: "输入超出上下文窗口", en: "the input exceeds the context window" },
  content_filter: { zh: "内容被过滤", en: "the content was filtered" },
  overloaded: { zh: "服务繁忙", en: "the service is overloaded" },
  server: { zh: "服务出错", en: "the service failed" },
  bad_response: { zh: "返回内容不可用", en: "the response is not usable" },
};

/** Limits the vendor's text that is shown, in characters. */
const longestShown = 300;

/** Shorter pieces of a key are not searched for, because they are ordinary words. */
const shortestPiece = 8;

/** Makes a vendor's text fit to be shown: one short line without control characters and secrets. */
export function toErrorText(text: string, key: string | undefined): string {
  const line = sanitizeLine(removeSecrets(text.slice(0, 4000), key ?? ""));
  return line.length > longestShown ? `${line.slice(0, longestShown).toWellFormed()}…` : line;
}

function removeSecrets(text: string, key: string): string {
  return [...listKeyForms(key), ...patterns].reduce(
    (rest, [secret, instead]) => rest.replaceAll(secret, instead),
    removePieces(text, key),
  );
}

type Replacement = [secret: string | RegExp, instead: string];

function listKeyForms(key: string): Replacement[] {
  if (key.length < 4) return [];
  const end = key.slice(-4);
  const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), `...${end}`, `…${end}`];
  return forms.map((form) => [form, "***"]);
}

/** Vendors show the start or the end of the key that they refuse; a long enough piece of it is the key to us. */
function removePieces(text: string, key: string): string {
  let out = "";
  for (let start = 0; start < text.length; ) {
    const length = key.length < shortestPiece ? 0 : measurePiece(text, start, key);
    out += length > 0 ? "***" : text.charAt(start);
    start += length || 1;
  }
  return out;
}

/** Returns how many characters at `start` match any part of the key, and 0 for fewer than `shortestPiece`. */
function measurePiece(text: string, start: number, key: string): number {
  let length = shortestPiece;
  if (start + length > text.length || !key.includes(text.slice(start, start + length))) return 0;
  while (start + length < text.length && key.includes(text.slice(start, start + length + 1))) length++;
  return length;
}

const patterns: Replacement[] = [
  [/\b(Bearer|Basic)\s+[^\s"',;<>]+/gi, "$1 ***"],
  // A masked key still tells its start and its end.
  [/[\w.+/=-]*\*{3,}[\w.*+/=-]*/g, "***"],
  [/\b(sk|pk|key|xai|gsk|tvly)[-_][\w-]{0,8}(\.{3}|…)[\w-]{2,8}/g, "***"],
  [/\b(sk|pk|xai|tvly)-[\w-]{12,}/g, "$1-***"],
  [/\b(gsk|hf|ghp|gho|ghs|ghu)_\w{12,}/g, "$1_***"],
  [/\b(AIza|AKIA|LTAI)[\w-]{12,}/g, "$1***"],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?/g, "***"],
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, "$1***@"],
  [/([?&;](?:api[_-]?)?(?:key|token|secret|sig|signature|password|access_token|code)=)[^\s&#"'<>]+/gi, "$1***"],
  [/((?:x-)?api[_-]key|access[_-]token|password|secret)(["']?\s*[:=]\s*["']?)[^\s"',}&]{4,}/gi, "$1$2***"],
];

/**
 * Returns the delay that the other side asks for, in milliseconds: `retry-after-ms`, `retry-after` (seconds or a date), or
 * Google's value in the body. Undefined when there is none, or it is invalid or in the past.
 */
export function readRetryAfter(headers: Headers | undefined, searchable: string, now = Date.now()): number | undefined {
  const milliseconds = readNumber(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const asked = readRetryAfterHeader(headers?.get("retry-after"), now);
  if (asked !== undefined) return asked;
  const stated = /"retryDelay":"([\d.]+)s"/.exec(searchable) ?? /retry in ([\d.]+)s/i.exec(searchable);
  const delay = readNumber(stated?.[1]);
  return delay === undefined ? undefined : Math.round(delay * 1000);
}

function readNumber(text: string | null | undefined): number | undefined {
  if (!text || !/^\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Number(text);
}
