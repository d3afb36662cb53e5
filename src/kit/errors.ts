import { type Locale, say, type Text } from "./locale.ts";

/** Lists the codes of docs/errors.md that a run, a model, a tool, or the program ends with. */
export const errorCodes = [
  "config",
  "auth",
  "quota",
  "rate_limit",
  "invalid_request",
  "model_not_found",
  "context_overflow",
  "content_filter",
  "overloaded",
  "server",
  "timeout",
  "network",
  "bad_response",
  "invalid_output",
  "tool",
  "internal",
] as const;

/** Names a failure, as docs/errors.md explains it. */
export type ErrorCode = (typeof errorCodes)[number];

/** Lists the codes of docs/errors.md with which a server refuses a request, beside those that runs have too. */
export const requestErrorCodes = [
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
  "headers_too_large",
  "cancelled",
] as const;

/** Names every failure that an interface shows. */
export type RefusalCode = ErrorCode | (typeof requestErrorCodes)[number];

/** Holds the code and the data of a JSON-RPC error, for hosts that get it as it is. */
export interface RpcError {
  code: number;
  data?: unknown;
}

/** Holds what a `DuetError` is made from. */
export interface ErrorDetails {
  code: ErrorCode;
  /** Says what happened, with the bad value and what is allowed. */
  text: Text;
  hint?: Text;
  retryable?: boolean;
  retryAfterMs?: number;
  /** Holds the HTTP status of the other side's refusal. */
  status?: number;
  /** Holds the JSON-RPC error that an MCP server has answered with, without its message. */
  rpcError?: RpcError;
  /** Holds further errors that were found with this one, such as the others of a configuration. */
  others?: readonly DuetError[];
  cause?: unknown;
}

/** Holds what an interface shows of a failure: the `error` object of docs/development/contract.md#errors. */
export interface ErrorReport {
  code: ErrorCode;
  message: string;
  hint: string | null;
  /** A retry makes sense after this many seconds. It is absent when the time is unknown. */
  retry_after_s?: number;
}

/**
 * Represents every expected failure. `message` is the English text, with a line for each of the `others`, and `toErrorReport`
 * returns the text of the first in the reader's language.
 */
export class DuetError extends Error {
  override readonly name = "DuetError";
  readonly code: ErrorCode;
  readonly text: Text;
  readonly hint: Text | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly rpcError: RpcError | undefined;
  readonly others: readonly DuetError[];

  constructor(details: ErrorDetails) {
    const { others = [] } = details;
    super([details.text.en, ...others.map(({ message }) => message)].join("\n"), { cause: details.cause });
    this.others = others;
    this.code = details.code;
    this.text = details.text;
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
    this.rpcError = details.rpcError;
  }
}

/** Converts any thrown value into a `DuetError`. An unexpected error gets the code `internal`. */
export function toDuetError(thrown: unknown): DuetError {
  if (thrown instanceof DuetError) return thrown;
  const message = getMessage(thrown);
  return new DuetError({ code: "internal", text: { zh: message, en: message }, hint: reportIt, cause: thrown });
}

const reportIt: Text = { zh: "这是程序的错误，请报告。", en: "This is a fault of the program: please report it." };

export function getMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function toErrorReport(error: DuetError, locale: Locale): ErrorReport {
  return {
    code: error.code,
    message: say(locale, error.text),
    hint: error.hint === undefined ? null : say(locale, error.hint),
    ...(error.retryAfterMs !== undefined && { retry_after_s: toSeconds(error.retryAfterMs) }),
  };
}

/** Rounds a wait up to whole seconds, of which there is at least one. */
export function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
