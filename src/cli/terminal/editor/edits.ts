import type { Action } from "./keymap.ts";
import { after, before, lineEnd, lineStart, type TextBuffer } from "./text/buffer.ts";
import { blankBefore, wordAfter, wordBefore } from "./text/words.ts";

/** An index in the text. */
type Place = (buffer: TextBuffer) => number;

/** Where the cursor goes. */
export const moves: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["left", before],
  ["right", after],
  ["word-left", wordBefore],
  ["word-right", wordAfter],
  ["line-start", lineStart],
  ["line-end", lineEnd],
  ["text-start", () => 0],
  ["text-end", ({ text }) => text.length],
]);

/** From the cursor to where text is taken out. */
export const deletions: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["delete-left", before],
  ["delete-right", after],
]);

/** The same, and what is taken out can be put in again. */
export const kills: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["kill-word-left", wordBefore],
  ["kill-blank-left", blankBefore],
  ["kill-word-right", wordAfter],
  ["kill-line-left", (buffer) => orOneMore(buffer, lineStart(buffer), -1)],
  ["kill-line-right", (buffer) => orOneMore(buffer, lineEnd(buffer), 1)],
]);

/** At a line's border its line end goes. */
function orOneMore({ text, cursor }: TextBuffer, index: number, step: 1 | -1): number {
  return index === cursor ? Math.max(0, Math.min(text.length, index + step)) : index;
}
