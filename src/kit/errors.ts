/** The codes of the contract's section 5; every failure that a face shows carries one. */
export const errorCodes = [
  "config",
  "auth",
  "quota",
  "rate_limit",
  "invalid_request",
  "context_overflow",
  "content_filter",
  "overloaded",
  "server",
  "timeout",
  "network",
  "bad_response",
  "tool",
  "internal",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorDetails {
  code: ErrorCode;
  /** What happened, with the bad value and what is allowed. */
  text: Text;
  /** What the reader can do about it. */
  hint?: Text;
  /** Whether the same request may succeed later. */
  retryable?: boolean;
  /** How long the other side asks to wait, in milliseconds. */
  retryAfterMs?: number;
  /** The HTTP status with which the other side refused. */
  status?: number;
  cause?: unknown;
}

/** What a face shows of a failure: the `error` object of the contract's section 5. */
export interface ErrorReport {
  code: ErrorCode;
  message: string;
  hint: string | null;
  /** In how many seconds it is worth trying again; absent where nobody knows. */
  retry_after_s?: number;
}

/** The one family of errors. `message` is the English text; `report` words it for a reader. */
export class DuetError extends Error {
  override readonly name = "DuetError";
  readonly code: ErrorCode;
  readonly text: Text;
  readonly hint: Text | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(details: ErrorDetails) {
    super(details.text.en, { cause: details.cause });
    this.code = details.code;
    this.text = details.text;
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
  }
}

/** Turns anything thrown into one of the family; what we did not foresee is `internal`. */
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

/** The two languages of everything that people read. */
export type Locale = "zh" | "en";

/** A sentence in both languages. */
export interface Text {
  readonly zh: string;
  readonly en: string;
}

export function say(locale: Locale, text: Text): string {
  return text[locale];
}

/** The same without what it begins with, where that has been said already. */
export function removePrefix({ zh, en }: Text, prefix: Text): Text {
  return {
    zh: zh.startsWith(prefix.zh) ? zh.slice(prefix.zh.length) : zh,
    en: en.startsWith(prefix.en) ? en.slice(prefix.en.length) : en,
  };
}

/** The language of what somebody wrote: Chinese as soon as it holds a Han character. */
export function detectLanguage(text: string, fallback: Locale): Locale {
  if (/\p{Script=Han}/u.test(text)) return "zh";
  return /[a-z]/i.test(text) ? "en" : fallback;
}
