import { DuetError, type ErrorCode, messageOf } from "../core/errors.ts";
import type { Text } from "../core/locale.ts";
import { printableLine } from "../core/printable.ts";
import { readErrorBody } from "./error-body.ts";
import { classify } from "./error-rules.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { ModelSettings } from "./settings.ts";

/** Whose error it is; the key is there to be kept out of what is shown. */
export type Origin = Pick<ModelSettings, "provider" | "model" | "apiKey" | "apiKeyEnv" | "baseUrl">;

/** An HTTP answer that is not a success. */
export interface HttpFailure {
  status: number;
  headers: Headers | undefined;
  /** Text, or what a package has already parsed. */
  body: unknown;
}

/** An answer with an error status, in the form of any vendor. */
export function httpError(failure: HttpFailure, origin: Origin): DuetError {
  const facts = readErrorBody(failure.body, failure.status);
  const { code, retryable: transient } = classify(facts);
  // OpenAI's and Anthropic's servers say so where they know better than the status.
  const retryable = transient && failure.headers?.get("x-should-retry") !== "false";
  return new DuetError({
    code,
    text: vendorText(origin, code, `HTTP ${failure.status}`, facts.message),
    hint: hint(code, origin),
    retryable,
    retryAfterMs: retryable ? retryAfterMs(failure.headers, facts.searchable) : undefined,
  });
}

/** An error that came inside a stream which had begun as a success. */
export function streamError(body: unknown, origin: Origin): DuetError {
  const facts = readErrorBody(body);
  const { code, retryable } = classify(facts);
  const text = vendorText(origin, code, facts.status === undefined ? "" : `${facts.status}`, facts.message);
  return new DuetError({ code, text, hint: hint(code, origin), retryable });
}

/** The connection failed: refused, reset, not found, closed in the middle. */
export function connectionError(thrown: unknown, origin: Origin): DuetError {
  const cause = rootCause(thrown);
  const detail = shown(`${codeOf(cause)} ${messageOf(cause)}`, origin);
  const host = URL.parse(origin.baseUrl)?.host ?? "";
  return new DuetError({
    code: "network",
    text: named(origin, { zh: `与 ${host} 的连接失败：${detail}`, en: `the connection to ${host} failed: ${detail}` }),
    hint: hint("network", origin),
    retryable: true,
    cause: thrown,
  });
}

/** What arrived is no turn: cut off, empty, or not of this format. */
export function badResponse(origin: Origin, text: Text, more: { retryable: boolean; detail?: string }): DuetError {
  const detail = more.detail ? shown(more.detail, origin) : "";
  return new DuetError({
    code: "bad_response",
    text: named(origin, { zh: text.zh + (detail && `：${detail}`), en: text.en + (detail && `: ${detail}`) }),
    // What may go well the next time has the right address.
    hint: more.retryable ? undefined : hint("bad_response", origin),
    retryable: more.retryable,
  });
}

export function silenceError(origin: Origin, text: Text): DuetError {
  return new DuetError({ code: "timeout", text: named(origin, text), hint: hint("timeout", origin), retryable: true });
}

/** The key is not set, or cannot be sent: told before any request. */
export function keyError(origin: Origin): DuetError {
  const name = origin.apiKeyEnv ?? "";
  const text = origin.apiKey
    ? { zh: `环境变量 ${name} 中的密钥含有不能发送的字符`, en: `the key in ${name} has characters that cannot be sent` }
    : { zh: `缺少密钥：环境变量 ${name} 未设置`, en: `the key is missing: ${name} is not set` };
  return new DuetError({ code: "auth", text: named(origin, text), hint: hint("auth", origin) });
}

function vendorText(origin: Origin, code: ErrorCode, status: string, message: string): Text {
  const kind = kinds[code] ?? { zh: "请求失败", en: "the request failed" };
  const detail = shown(message, origin);
  return named(origin, {
    zh: kind.zh + (status && `（${status}）`) + (detail && `：${detail}`),
    en: kind.en + (status && ` (${status})`) + (detail && `: ${detail}`),
  });
}

function named(origin: Origin, text: Text): Text {
  const name = `${origin.provider}/${origin.model}`;
  return { zh: `${name}：${text.zh}`, en: `${name}: ${text.en}` };
}

/** A stranger's words, fit to be shown: one line, no control characters, no secrets, not long. */
function shown(text: string, origin: Origin): string {
  const key = origin.apiKey;
  const secretless = (key && key.length > 3 ? text.replaceAll(key, "***") : text)
    .replace(/\bBearer\s+[^\s"',;]+/gi, "Bearer ***")
    .replace(/\b(sk|key|api|gsk|xai)-[A-Za-z0-9_-]{12,}/g, "$1-***");
  const line = printableLine(secretless);
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
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

function hint(code: ErrorCode, origin: Origin): Text | undefined {
  const key = origin.apiKeyEnv;
  const host = URL.parse(origin.baseUrl)?.host ?? origin.baseUrl;
  const hints: Partial<Record<ErrorCode, Text>> = {
    auth: key
      ? { zh: `请检查环境变量 ${key} 中的密钥。`, en: `Check the key in the environment variable ${key}.` }
      : { zh: "请为该模型设置 apiKeyEnv。", en: "Set apiKeyEnv for this model." },
    quota: key
      ? { zh: `请为 ${key} 所属账户充值，或换用其他模型。`, en: `Top up the account of ${key}, or use another model.` }
      : { zh: "请充值或换用其他模型。", en: "Top up the account, or use another model." },
    rate_limit: { zh: "请稍后再试，或换用其他模型。", en: "Try again later, or use another model." },
    invalid_request: { zh: "请检查模型名称与参数。", en: "Check the model's name and its parameters." },
    context_overflow: { zh: "请开始新对话或缩短输入。", en: "Start a new conversation, or shorten the input." },
    content_filter: { zh: "请修改问题后再试。", en: "Change the question and try again." },
    overloaded: { zh: "请稍后再试，或换用其他模型。", en: "Try again later, or use another model." },
    server: { zh: "请稍后再试，或换用其他模型。", en: "Try again later, or use another model." },
    network: { zh: `请检查网络与地址 ${host}。`, en: `Check the network and the address ${host}.` },
    timeout: { zh: "请稍后再试，或增大 timeout。", en: "Try again later, or raise the timeout." },
    bad_response: { zh: `请检查 ${host} 是否为正确的接口地址。`, en: `Check that ${host} is the right address.` },
  };
  return hints[code];
}
