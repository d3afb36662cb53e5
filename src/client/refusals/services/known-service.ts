import type { ErrorCode } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";

/** Describes how one service reports a refusal through its MCP server, where the usual phrases do not say it. */
export interface KnownService {
  /** Explains a text that the service returns as a success although it refused. */
  explainSuccess?(text: string): ServiceRefusal | undefined;
  /** Matches the keys that an error object of the service has, besides the usual ones. */
  errorKeys?: RegExp;
  /** Returns true when an object with nothing but such keys is an error. */
  isErrorObject?(value: Record<string, unknown>): boolean;
  /** Explains an error. `value` is the parsed text if it is JSON. */
  explainError?(text: string, value: unknown, clauses: readonly string[]): ServiceRefusal | undefined;
}

export interface ServiceRefusal {
  code: ErrorCode;
  /** Explains the problem and its remedy in our own words; it contains nothing of the server's text. */
  text: Text;
  /** Is the time in milliseconds after which the same call may succeed; set only when it is certain that nothing was done. */
  retryAfterMs?: number;
}

const untilRetry =
  /\b(?:retry|try again)(?: in| after)?:? ?(\d{1,6})(?:\.\d+)? ?(ms|s|m|milliseconds?|seconds?|minutes?)\b/i;

/** Returns the delay that the service asks for, in milliseconds. */
export function findPause(text: string): number | undefined {
  const [, amount, unit = ""] = untilRetry.exec(text) ?? [];
  if (amount === undefined) return undefined;
  if (unit.startsWith("ms") || unit.startsWith("milli")) return Number(amount);
  return Number(amount) * (unit.startsWith("m") ? 60_000 : 1000);
}
