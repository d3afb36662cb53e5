import type { ModelSettings } from "../../core/model-settings.ts";
import { DuetError, type ErrorCode, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { readErrorBody } from "./error-body.ts";
import { createHint, findConnectionRemedy } from "./error-hints.ts";
import { classifyError } from "./error-rules.ts";
import { toErrorText } from "./error-text.ts";
import { readRetryAfter } from "./retry-after.ts";

/** Whose error it is; the key is there to be kept out of what is shown. */
export type ErrorOrigin = Pick<ModelSettings, "provider" | "model" | "apiKey" | "apiKeyEnv" | "baseUrl">;

/** An HTTP answer that is not a success. */
export interface HttpFailure {
  status: number;
  headers: Headers | undefined;
  /** Text, or what a package has already parsed. */
  body: unknown;
}

/** An answer with an error status, in the form of any vendor. */
export function httpError(failure: HttpFailure, origin: ErrorOrigin): DuetError {
  const facts = readErrorBody(failure.body, failure.status);
  const { code, retryable: transient, remedy } = classifyError(facts);
  // OpenAI's and Anthropic's servers say so where they know better than the status.
  const retryable = transient && failure.headers?.get("x-should-retry") !== "false";
  const wait = retryable ? readRetryAfter(failure.headers, facts.searchable) : undefined;
  return new DuetError({
    code,
    text: vendorText(origin, code, `HTTP ${failure.status}`, facts.message),
    hint: createHint(remedy, { ...origin, retryAfterMs: wait }),
    retryable,
    retryAfterMs: wait,
    status: failure.status,
  });
}

/** An error that came inside a stream which had begun as a success. */
export function streamError(body: unknown, origin: ErrorOrigin): DuetError {
  const facts = readErrorBody(body);
  const { code, retryable, remedy } = classifyError(facts);
  const text = vendorText(origin, code, facts.status === undefined ? "" : `${facts.status}`, facts.message);
  return new DuetError({ code, text, hint: createHint(remedy, origin), retryable, status: facts.status });
}

/** The connection failed: refused, reset, not found, closed in the middle. */
export function connectionError(thrown: unknown, origin: ErrorOrigin): DuetError {
  const cause = rootCause(thrown);
  const detail = toErrorText(`${codeOf(cause)} ${getMessage(cause)}`, origin.apiKey);
  const host = URL.parse(origin.baseUrl)?.host ?? "";
  const remedy = findConnectionRemedy(codeOf(cause), origin.baseUrl);
  return new DuetError({
    code: "network",
    text: named(origin, { zh: `与 ${host} 的连接失败：${detail}`, en: `the connection to ${host} failed: ${detail}` }),
    hint: createHint(remedy, origin),
    // A certificate is no better the next time.
    retryable: remedy !== "certificate",
    cause: thrown,
  });
}

/** What arrived is no turn: cut off, empty, or not of this format. */
export function badResponseError(
  origin: ErrorOrigin,
  text: Text,
  more: { retryable: boolean; detail?: string },
): DuetError {
  const detail = more.detail ? toErrorText(more.detail, origin.apiKey) : "";
  return new DuetError({
    code: "bad_response",
    text: named(origin, { zh: text.zh + (detail && `：${detail}`), en: text.en + (detail && `: ${detail}`) }),
    // What may go well the next time has the right address.
    hint: createHint(more.retryable ? "try-again" : "bad_response", origin),
    retryable: more.retryable,
  });
}

export function idleTimeoutError(origin: ErrorOrigin, text: Text): DuetError {
  return new DuetError({
    code: "timeout",
    text: named(origin, text),
    hint: createHint("timeout", origin),
    retryable: true,
  });
}

/** The key is not set, or cannot be sent: told before any request. */
export function keyError(origin: ErrorOrigin): DuetError {
  const name = origin.apiKeyEnv ?? "";
  const text = origin.apiKey
    ? { zh: `环境变量 ${name} 中的密钥含有不能发送的字符`, en: `the key in ${name} has characters that cannot be sent` }
    : { zh: `缺少密钥：环境变量 ${name} 未设置`, en: `the key is missing: ${name} is not set` };
  const remedy = origin.apiKey ? "auth" : "key-missing";
  return new DuetError({ code: "auth", text: named(origin, text), hint: createHint(remedy, origin) });
}

function vendorText(origin: ErrorOrigin, code: ErrorCode, status: string, message: string): Text {
  const kind = kinds[code] ?? { zh: "请求失败", en: "the request failed" };
  const detail = toErrorText(message, origin.apiKey);
  return named(origin, {
    zh: kind.zh + (status && `（${status}）`) + (detail && `：${detail}`),
    en: kind.en + (status && ` (${status})`) + (detail && `: ${detail}`),
  });
}

function named(origin: ErrorOrigin, text: Text): Text {
  const name = `${origin.provider}/${origin.model}`;
  return { zh: `${name}：${text.zh}`, en: `${name}: ${text.en}` };
}

/** The packages wrap what the socket said, once or twice. */
function rootCause(thrown: unknown): unknown {
  let cause = thrown;
  for (let depth = 0; depth < 5 && cause instanceof Error && cause.cause instanceof Error; depth++) cause = cause.cause;
  return cause;
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

const kinds: Partial<Record<ErrorCode, Text>> = {
  auth: { zh: "认证失败", en: "authentication failed" },
  quota: { zh: "额度已用完", en: "the account is out of quota" },
  rate_limit: { zh: "请求过于频繁", en: "rate limit reached" },
  invalid_request: { zh: "请求被拒绝", en: "the request was refused" },
  context_overflow: { zh: "输入超出上下文窗口", en: "the input exceeds the context window" },
  content_filter: { zh: "内容被过滤", en: "the content was filtered" },
  overloaded: { zh: "服务繁忙", en: "the service is overloaded" },
  server: { zh: "服务出错", en: "the service failed" },
  bad_response: { zh: "返回内容不可用", en: "the response is not usable" },
};
