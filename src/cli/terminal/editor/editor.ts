import type { Key } from "../keys/key.ts";
import type { Live, Size } from "../screen/screen-types.ts";

/** Describes the effect of a key: a text was submitted, the view changed, or the editor does not use the key. */
export type KeyResult = { result: "submit"; text: string } | { result: "changed" } | { result: "unused" };

/** Edits the text that a user types, with several lines, history and completion. */
export interface Editor {
  readonly text: string;
  press(key: Key): KeyResult;
  /** Puts this text in place of what stands there, the cursor behind it. */
  set(text: string): void;
  /** Renders the text behind a prompt, with the menu of completions below it. */
  view(prompt: string, size: Size): Live;
}

export interface Completion {
  /** Takes the place of the text from `from` to the cursor. */
  readonly text: string;
  readonly help?: string | undefined;
}

/** Finds completions of a text up to its cursor, which replace it from the index `from` on; undefined where there are none. Never rejects. */
export type Complete = (
  textBefore: string,
) => Promise<{ from: number; completions: readonly Completion[] } | undefined>;

/** Holds earlier inputs, the oldest first. */
export interface InputHistory {
  readonly entries: readonly string[];
  /** Keeps an entry; one that is the same as the last is not kept twice. */
  add(text: string): void;
}
