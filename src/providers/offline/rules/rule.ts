import type { JsonObject } from "../../../kit/json.ts";
import type { Locale, Text } from "../../../kit/locale.ts";

/** Recognises one kind of request without a language model, and names the tool for it. */
export interface Rule {
  /** Lists the tools' own names, best first. A server's prefix (`server__`) is ignored. */
  readonly tools: readonly string[];
  /** Holds a request that this rule recognises. It is shown when no request was recognised. */
  readonly example: Text;
  /** Is true when everything after the command belongs to the request, even text that looks like another request. */
  readonly verbatim?: true;
  /**
   * Returns the arguments for the tool, and undefined when the text is no such request. `earlier` holds the results so far,
   * oldest first. "The numbers in it" are taken from the last.
   */
  read(request: string, earlier: readonly string[]): RuleMatch | undefined;
  /**
   * Is true for a request of which the rule has understood every word, and which its tool's result answers as well as a model
   * would. A rule without it never answers in place of a model.
   */
  isPlain?(request: string, args: JsonObject): boolean;
  /** Describes the call. It completes "Using calculator to …" and "Could not …". */
  purpose(args: JsonObject): Text;
  /** Renders the tool's result as text for the reader. */
  renderResult(result: string, args: JsonObject, locale: Locale): string;
}

/** Holds the arguments of a request that was understood, or says what is missing from one that was partly understood. */
export type RuleMatch = { arguments: JsonObject } | { refusal: Text };

/** Returns the argument as text, or an empty string when it is absent. */
export function getTextArgument(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
