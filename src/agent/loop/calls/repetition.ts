import type { ToolCall } from "../../../core/model/messages.ts";
import type { JsonValue } from "../../../kit/json.ts";
import { isMatch } from "../../../kit/text/match-pattern.ts";

/**
 * Tells work from going round in circles: a call is judged by its tool, its arguments in whatever order, and its result.
 * A call that has brought one result twice in a row is refused the third time; one whose result changes never is.
 */
export interface Repetition {
  /** Is true when the call has been made before and would only return the same result. */
  isRepeated(call: ToolCall): boolean;
  /** Takes what a call that ran came to; says whether it was news. */
  learn(call: ToolCall, result: string): boolean;
  /** Takes a call of the run that this one goes on with. It is refused at once, because its result is there. */
  know(call: ToolCall): void;
}

/** Limits how often a call may return the same result before it is refused. */
const sameResults = 2;

/**
 * `repeatable` holds the patterns of tools that may be called again and again, for example for the state of a job. `isExempt` says
 * it of tools that come and go during the run.
 */
export function createRepetition(
  repeatable: readonly string[],
  isExempt: (name: string) => boolean = () => false,
): Repetition {
  const seen = new Map<string, { result: string; times: number }>();
  return {
    isRepeated(call) {
      if (isExempt(call.name) || repeatable.some((pattern) => isMatch(call.name, pattern))) return false;
      return (seen.get(toKey(call))?.times ?? 0) >= sameResults;
    },
    know(call) {
      seen.set(toKey(call), { result: "", times: sameResults });
    },
    learn(call, result) {
      const key = toKey(call);
      const before = seen.get(key);
      const isSame = before?.result === result;
      seen.set(key, { result, times: isSame ? before.times + 1 : 1 });
      return !isSame;
    },
  };
}

function toKey({ name, arguments: args, argumentsText }: ToolCall): string {
  return `${name} ${args === undefined ? argumentsText : toCanonicalJson(args)}`;
}

/** Returns JSON with the keys of every object sorted, so that equal values give equal texts. */
export function toCanonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${toCanonicalJson(inner)}`).join(",")}}`;
}
