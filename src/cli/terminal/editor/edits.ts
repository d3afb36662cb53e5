import type { Action } from "./keymap.ts";
import { findLineEnd, findLineStart, findNext, findPrevious, type TextBuffer } from "./text/buffer.ts";
import { findBlankBefore, findWordEnd, findWordStart } from "./text/words.ts";

/** An index in the text. */
type Place = (buffer: TextBuffer) => number;

/** Where the cursor goes. */
export const moves: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["left", findPrevious],
  ["right", findNext],
  ["word-left", findWordStart],
  ["word-right", findWordEnd],
  ["line-start", findLineStart],
  ["line-end", findLineEnd],
  ["text-start", () => 0],
  ["text-end", ({ text }) => text.length],
]);

/** From the cursor to where text is taken out. */
export const deletions: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["delete-left", findPrevious],
  ["delete-right", findNext],
]);

/** The same, and what is taken out can be put in again. */
export const kills: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["kill-word-left", findWordStart],
  ["kill-blank-left", findBlankBefore],
  ["kill-word-right", findWordEnd],
  ["kill-line-left", (buffer) => orOneMore(buffer, findLineStart(buffer), -1)],
  ["kill-line-right", (buffer) => orOneMore(buffer, findLineEnd(buffer), 1)],
]);

/** At a line's border its line end goes. */
function orOneMore({ text, cursor }: TextBuffer, index: number, step: 1 | -1): number {
  return index === cursor ? Math.max(0, Math.min(text.length, index + step)) : index;
}
