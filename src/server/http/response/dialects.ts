import { type ErrorCode, type Locale, say, type Text } from "../../../kit/errors.ts";

/** The shape in which the programs of one part of the server expect what went wrong. */
export type Dialect = (refusal: HttpRefusal, locale: Locale) => { type: string; body: object };

/** By its path a request says what it speaks: OpenAI's wire, MCP, or plain HTTP. */
export function findDialect(target: string): Dialect {
  if (/^\/v1(\/|\?|$)/.test(target)) return openAi;
  return /^\/mcp(\/|\?|$)/.test(target) ? jsonRpc : problem;
}

/** JSON-RPC 2.0, which whatever speaks MCP understands. */
export const jsonRpc: Dialect = ({ text, code = -32_000, id }, locale) => ({
  type: "application/json",
  body: { jsonrpc: "2.0", id: id ?? null, error: { code, message: say(locale, text) } },
});

/** Problem details (RFC 9457); `code`, `detail` and `hint` are the error of the contract's section 5. */
const problem: Dialect = ({ status, text, hint, error = "invalid_request" }, locale) => ({
  type: "application/problem+json",
  body: {
    type: `urn:duet:error:${error}`,
    title: titles[status] ?? "Error",
    status,
    detail: say(locale, text),
    code: error,
    hint: hint === undefined ? null : say(locale, hint),
  },
});

/** As OpenAI words its own. */
export const openAi: Dialect = ({ status, text, hint, param, error = "invalid_request", openAiCode }, locale) => ({
  type: "application/json",
  body: {
    error: {
      message: [say(locale, text), hint && say(locale, hint)].filter(Boolean).join("\n"),
      type: openAiTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"),
      param: param ?? null,
      code: openAiCode ?? openAiCodes[error] ?? error,
    },
  },
});

/** Those that its clients know by another name. */
const openAiCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  context_overflow: "context_length_exceeded",
  quota: "insufficient_quota",
  rate_limit: "rate_limit_exceeded",
};

const openAiTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  424: "server_error",
  429: "rate_limit_error",
};

/** As RFC 9110 names the statuses. */
const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Why a request is not served. */
export interface HttpRefusal {
  /** Of HTTP. */
  status: number;
  text: Text;
  /** What the caller can do about it. */
  hint?: Text | undefined;
  /** Of the contract's section 5; `invalid_request` when absent. */
  error?: ErrorCode | undefined;
  /** The field of the request that is wrong. */
  param?: string | undefined;
  /** The code by which OpenAI's clients know it, where that is another one. */
  openAiCode?: string | undefined;
  /** Of JSON-RPC; -32000, a server's own, when absent. */
  code?: number | undefined;
  /** The JSON-RPC request's id, as far as it could be read. */
  id?: string | number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}
