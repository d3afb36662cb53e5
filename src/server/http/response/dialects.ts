import type { RefusalCode } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { errorTable, findCode } from "./error-table.ts";

/** Renders a refusal in the format that the clients of one part of the server expect. */
export type Dialect = (refusal: HttpRefusal, locale: Locale, requestId?: string) => { type: string; body: object };

/** Describes how the clients of one part of the server are told of errors. */
export interface DialectRow {
  /** Is the path that the part lies at or below. */
  path: string;
  dialect: Dialect;
  /** Is true where clients repeat requests by themselves, unless `x-should-retry` says otherwise. */
  statesRetry?: boolean;
  /** Names the header in which these clients look for the id of a request, beside `x-request-id`. */
  idHeader?: string;
}

/** Uses JSON-RPC 2.0, which every MCP client understands. `data` has the error of docs/errors.md. */
export const toJsonRpcError: Dialect = (refusal, locale) => ({
  type: "application/json",
  body: {
    jsonrpc: "2.0",
    id: refusal.id ?? null,
    error: {
      code: refusal.code ?? -32_000,
      message: say(locale, refusal.text),
      data: { code: getCode(refusal), ...renderHint(refusal, locale), ...renderWait(refusal) },
    },
  },
});

/** Uses problem details (RFC 9457). `code`, `detail`, `hint` and `retry_after_s` are the error of docs/errors.md. */
const toProblem: Dialect = (refusal, locale) => {
  const { status, text, hint } = refusal;
  const code = getCode(refusal);
  return {
    type: "application/problem+json",
    body: {
      type: `urn:duet:error:${code}`,
      title: titles[status] ?? "Error",
      status,
      detail: say(locale, text),
      code,
      hint: hint === undefined ? null : say(locale, hint),
      ...renderWait(refusal),
    },
  };
};

/** Uses the format of OpenAI's own errors. */
export const openAi: Dialect = (refusal, locale) => ({
  type: "application/json",
  body: { error: toOpenAiError(refusal, locale) },
});

/** Returns a refusal as OpenAI's clients read it. */
export function toOpenAiError(refusal: HttpRefusal, locale: Locale) {
  const { status, param, openAiCode } = refusal;
  const code = getCode(refusal);
  const isKeyRefused = status === 401 && code === "auth";
  return {
    message: renderMessage(refusal, locale),
    type: openAiTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"),
    param: param ?? null,
    code: openAiCode ?? (isKeyRefused ? "invalid_api_key" : (errorTable[code].openAi ?? code)),
    ...renderWait(refusal),
  };
}

/** opencode asks again after any error that says `server_error` or "server error". */
const openAiTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  424: "run_failed",
  429: "rate_limit_error",
};

/** Uses the format of Anthropic's own errors; `code` is added. */
export const toAnthropicError: Dialect = (refusal, locale, requestId) => {
  const { status } = refusal;
  const code = getCode(refusal);
  return {
    type: "application/json",
    body: {
      type: "error",
      error: {
        type: anthropicTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
        message: renderMessage(refusal, locale),
        code,
        ...(refusal.details && { details: refusal.details }),
        ...renderWait(refusal),
      },
      ...renderId(refusal, requestId),
    },
  };
};

/** Lists the types of https://docs.anthropic.com/en/api/errors by the statuses that Duet has. */
const anthropicTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  424: "api_error",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** Has a row for each part of the server; the first one that a path lies at or below counts. */
export const dialects: readonly DialectRow[] = [
  { path: "/v1/messages", dialect: toAnthropicError, statesRetry: true, idHeader: "request-id" },
  { path: "/v1", dialect: openAi, statesRetry: true },
  { path: "/mcp", dialect: toJsonRpcError },
];

const plain: DialectRow = { path: "/", dialect: toProblem };

/** Chooses the row by the target of a request, whose query does not count. */
export function findDialect(target: string): DialectRow {
  const [path = ""] = target.split("?");
  return dialects.find((row) => path === row.path || path.startsWith(`${row.path}/`)) ?? plain;
}

function getCode({ error, status }: HttpRefusal): RefusalCode {
  return error ?? findCode(status);
}

function renderMessage({ text, hint }: HttpRefusal, locale: Locale): string {
  return [say(locale, text), hint && say(locale, hint)].filter(Boolean).join("\n");
}

function renderHint({ hint }: HttpRefusal, locale: Locale): { hint?: string } {
  return hint === undefined ? {} : { hint: say(locale, hint) };
}

function renderWait({ headers }: HttpRefusal): { retry_after_s?: number } {
  const seconds = headers?.["retry-after"];
  return seconds === undefined ? {} : { retry_after_s: Number(seconds) };
}

function renderId({ headers }: HttpRefusal, requestId: string | undefined): { request_id?: string } {
  const id = headers?.["x-request-id"] ?? requestId;
  return id === undefined ? {} : { request_id: id };
}

/** Uses the names of RFC 9110 and RFC 6585. */
const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

export interface HttpRefusal {
  status: number;
  text: Text;
  hint?: Text | undefined;
  /** Is an error code of docs/errors.md, and that of the status when absent. */
  error?: RefusalCode | undefined;
  /** Names the field of the request that is wrong. */
  param?: string | undefined;
  /** Is the code that OpenAI's clients expect, when it differs from ours. */
  openAiCode?: string | undefined;
  /** Tells Anthropic's clients what they can do about it by themselves. */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** Is the JSON-RPC error code. When absent it is -32000, which is reserved for servers. */
  code?: number | undefined;
  /** Is the id of the JSON-RPC request, if it could be read. */
  id?: string | number | undefined;
  /** Is the language that the request names in its body, and that of its headers when absent. */
  locale?: Locale | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}
