import type { JsonObject } from "../../kit/json.ts";

/**
 * Holds what a person sees of a call before they agree to it, without words, colours or limits of an interface: the arguments that
 * are shown as they are, and those that a person reads better in another form.
 */
export interface CallReview {
  /** Holds the arguments without what the parts show. A value deeper down that a part shows is replaced by `shownBelow`. */
  readonly values: JsonObject;
  readonly parts: readonly ReviewPart[];
}

/** Shows one argument in its own form. `name` is its place in the arguments: `content`, `edits[0].newText`. */
export type ReviewPart =
  | { readonly kind: "command"; readonly name: string; readonly line: string }
  /** Is a text of several lines. */
  | { readonly kind: "text"; readonly name: string; readonly text: string }
  | ReviewedChange;

/** Shows what a call would make of a text. */
export interface ReviewedChange {
  readonly kind: "change";
  readonly name: string;
  /** Is the real path of the file that was read; absent where the texts are those of the arguments alone. */
  readonly file?: string | undefined;
  /** Is undefined for a file that does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** Says why the file could not be used: it holds the text to be replaced not at all, or several times. */
  readonly problem?: "missing" | "repeated" | undefined;
}

/** Replaces a text in `CallReview.values` that a part shows. */
export const shownBelow = "↓";
