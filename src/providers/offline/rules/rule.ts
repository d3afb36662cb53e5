import type { JsonObject } from "../../../kit/json.ts";
import type { Locale, Text } from "../../../kit/locale.ts";

/** One kind of request that is recognised without a language model, and the tool that serves it. */
export interface Rule {
  /** The tools' own names, best first; a server's prefix (`server__`) is ignored. */
  readonly tools: readonly string[];
  /** A request that it recognises, shown where nothing was. */
  readonly example: Text;
  /** Everything after its command belongs to it, also what looks like another request. */
  readonly verbatim?: true;
  /**
   * What to ask the tool for; undefined when the text is no such request. `earlier` are the results so far, oldest
   * first: "the numbers in it" are taken from the last.
   */
  read(request: string, earlier: readonly string[]): RuleMatch | undefined;
  /** What the call is for; completes "Using calculator to …" and "Could not …". */
  purpose(args: JsonObject): Text;
  /** The tool's result in words. */
  tell(result: string, args: JsonObject, locale: Locale): string;
}

/** A request understood, or understood well enough to say what is missing. */
export type RuleMatch = { arguments: JsonObject } | { refusal: Text };

/** An argument as text; empty when it is absent. */
export function getTextArgument(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
