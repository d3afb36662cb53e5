import type { Key } from "../keys/key.ts";
import type { Live, Size } from "../screen/live.ts";

/** What came of a key: a text to take, something that looks different, or nothing that the editor knows. */
export type KeyResult = { result: "submit"; text: string } | { result: "changed" } | { result: "unused" };

/** The text that somebody types: several lines, history, completion. */
export interface Editor {
  readonly text: string;
  press(key: Key): KeyResult;
  /** Puts this text in place of what stands there, the cursor behind it. */
  set(text: string): void;
  /** How it looks behind a prompt, its menu of completions below it. */
  view(prompt: string, size: Size): Live;
}

/** One way to go on with what is typed. */
export interface Completion {
  /** Takes the place of the text from `from` to the cursor. */
  readonly text: string;
  /** What it means, in a few words. */
  readonly help?: string | undefined;
}

/** Ways to go on with a text up to its cursor, from the index `from` on; undefined where there are none. Never rejects. */
export type Complete = (
  textBefore: string,
) => Promise<{ from: number; completions: readonly Completion[] } | undefined>;

/** What was typed before, the oldest first. */
export interface InputHistory {
  readonly entries: readonly string[];
  /** Keeps an entry; one that is the same as the last is not kept twice. */
  add(text: string): void;
}
