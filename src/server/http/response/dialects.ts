import type { ErrorCode } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";

/** Renders a refusal in the format that the clients of one part of the server expect. */
export type Dialect = (refusal: HttpRefusal, locale: Locale) => { type: string; body: object };

/** Chooses the format by the path of the request: OpenAI's API, MCP, or plain HTTP. */
export function findDialect(target: string): Dialect {
  if (/^\/v1(\/|\?|$)/.test(target)) return openAi;
  return /^\/mcp(\/|\?|$)/.test(target) ? toJsonRpcError : toProblem;
}

/** Uses JSON-RPC 2.0, which every MCP client understands. */
export const toJsonRpcError: Dialect = ({ text, code = -32_000, id }, locale) => ({
  type: "application/json",
  body: { jsonrpc: "2.0", id: id ?? null, error: { code, message: say(locale, text) } },
});

/** Uses problem details (RFC 9457). `code`, `detail` and `hint` are the error of docs/development/contract.md#errors. */
const toProblem: Dialect = ({ status, text, hint, error = "invalid_request" }, locale) => ({
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

/** Uses the format of OpenAI's own errors. */
export const openAi: Dialect = (refusal, locale) => ({
  type: "application/json",
  body: { error: toOpenAiError(refusal, locale) },
});

/** Returns a refusal as OpenAI's clients read it. */
export function toOpenAiError(
  { status, text, hint, param, error = "invalid_request", openAiCode }: HttpRefusal,
  locale: Locale,
) {
  return {
    message: [say(locale, text), hint && say(locale, hint)].filter(Boolean).join("\n"),
    type: openAiTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"),
    param: param ?? null,
    code: openAiCode ?? openAiCodes[error] ?? error,
  };
}

/** Maps error codes that OpenAI's clients know by another name. */
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

/** Uses the names of RFC 9110. */
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

export interface HttpRefusal {
  status: number;
  text: Text;
  hint?: Text | undefined;
  /** Is an error code of docs/development/contract.md#errors, and `invalid_request` when absent. */
  error?: ErrorCode | undefined;
  /** Names the field of the request that is wrong. */
  param?: string | undefined;
  /** Is the code that OpenAI's clients expect, when it differs from ours. */
  openAiCode?: string | undefined;
  /** Is the JSON-RPC error code. When absent it is -32000, which is reserved for servers. */
  code?: number | undefined;
  /** Is the id of the JSON-RPC request, if it could be read. */
  id?: string | number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}
