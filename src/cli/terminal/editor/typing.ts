import { type Locale, say } from "../../../kit/locale.ts";
import { createLine, type Line } from "../text/line.ts";
import { cutLine } from "../text/wrap.ts";
import {
  createBuffer,
  emptyBuffer,
  findBlankBefore,
  findLineEnd,
  findLineStart,
  findNext,
  findPrevious,
  findWordEnd,
  findWordStart,
  insert,
  mostTyped,
  moveTo,
  removeTo,
  type TextBuffer,
} from "./buffer.ts";
import type { InputHistory } from "./editor.ts";
import { type Folds, noFolds } from "./folds.ts";
import type { Action } from "./keymap.ts";
import { createBreakRows, findColumn, findIndex, findRow, type Row } from "./text-rows.ts";

/** Holds the text and applies keys to it, without rendering. */
export interface Typing {
  readonly buffer: TextBuffer;
  readonly textBefore: string;
  /** Breaks the text into rows of this many cells; Up and Down use these rows from then on. */
  rows(width: number): readonly Row[];
  /** Puts text in at the cursor, or in place of what stands from an index on. False where it would be too long: nothing changes. */
  insert(text: string, from?: number): boolean;
  /** Moves, deletes, puts in again, undoes; undefined where the action is none of these, else whether the text has changed. */
  edit(action: Action): boolean | undefined;
  /** Goes a row up or down, and from the border on through what was typed before. */
  moveVertically(step: 1 | -1): void;
  /** Puts this text in place of all. */
  set(text: string): void;
  /** Returns the text, adds it to the history, and begins anew. */
  submit(): string;
}

export function createTyping(history: InputHistory, folds: Folds = noFolds): Typing {
  const undo = createUndo();
  const recall = createRecall(history);
  const breakRows = createBreakRows();
  let buffer = emptyBuffer;
  let width = 79;
  let killed = "";
  /** Is true when the last key deleted text for later reinsertion; the next such deletion is added to it. */
  let isKilling = false;
  /** Holds the column in which a series of Up and Down keys began. */
  let column: number | undefined;

  function change(next: TextBuffer, kind: string): void {
    undo.keep(buffer, kind);
    buffer = next;
  }

  function kill(index: number): void {
    const start = Math.min(index, buffer.cursor);
    const text = buffer.text.slice(start, Math.max(index, buffer.cursor));
    if (!isKilling) killed = text;
    else killed = index < buffer.cursor ? text + killed : killed + text;
    change(removeTo(buffer, index), "kill");
  }

  function endStroke(action?: Action): void {
    isKilling = action !== undefined && kills.has(action);
    column = undefined;
  }

  function insertText(text: string, from = buffer.cursor): boolean {
    endStroke();
    if (folds.countUnits(insert(buffer, text, from).text) > mostTyped) return false;
    // A word comes back at a time, and whatever was put in at once.
    const isTyped = from === buffer.cursor && text.length <= 2;
    if (!isTyped) undo.rest();
    change(insert(buffer, text, from), "type");
    if (!isTyped || /\s/.test(text)) undo.rest();
    return true;
  }

  /** Returns the index, or the far end of the label that it lies in. */
  function leaveLabel(index: number): number {
    const label = folds.findAround(buffer.text, index);
    if (label === undefined) return index;
    return index < buffer.cursor ? label.from : label.to;
  }

  function applyAction(action: Action): boolean | undefined {
    const move = moves.get(action);
    const deletion = deletions.get(action);
    const killing = kills.get(action);
    const { text } = buffer;
    if (move) {
      undo.rest();
      buffer = moveTo(buffer, leaveLabel(move(buffer)));
    } else if (deletion) change(removeTo(buffer, leaveLabel(deletion(buffer))), action);
    else if (killing) kill(leaveLabel(killing(buffer)));
    else if (action === "undo") buffer = undo.back() ?? buffer;
    else if (action === "yank") return insertText(killed);
    else return undefined;
    endStroke(action);
    return buffer.text !== text;
  }

  function moveVertically(step: 1 | -1): void {
    const rows = breakRows(buffer.text, width);
    const row = findRow(rows, buffer.cursor);
    const from = rows[row];
    undo.rest();
    isKilling = false;
    if (from !== undefined && rows[row + step] !== undefined) {
      column ??= findColumn(buffer.text, from, buffer.cursor);
      buffer = moveTo(buffer, leaveLabel(findIndex(buffer.text, rows, row + step, column)));
      return;
    }
    const entry = step === -1 ? recall.older(buffer.text) : recall.newer(buffer.text);
    column = undefined;
    if (entry === undefined) return;
    change(createBuffer(entry), "recall");
    undo.rest();
  }

  return {
    get buffer() {
      return buffer;
    },
    get textBefore() {
      return buffer.text.slice(0, buffer.cursor);
    },
    rows(cells) {
      width = cells;
      return breakRows(buffer.text, width);
    },
    insert: insertText,
    edit: applyAction,
    moveVertically: moveVertically,
    set(text) {
      endStroke();
      recall.leave();
      undo.rest();
      change(createBuffer(text.replace(/\r\n?/g, "\n").slice(0, mostTyped)), "set");
      undo.rest();
    },
    submit() {
      const { text } = buffer;
      endStroke();
      recall.leave();
      undo.clear();
      buffer = emptyBuffer;
      if (text.trim() !== "") history.add(folds.expand(text));
      return text;
    },
  };
}

/** Returns an index in the text. */
type Place = (buffer: TextBuffer) => number;

/** Maps each movement to the new position of the cursor. */
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

/** Maps each deletion to the other end of the range that begins at the cursor. */
export const deletions: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["delete-left", findPrevious],
  ["delete-right", findNext],
]);

/** Maps deletions whose text can be inserted again. */
const kills: ReadonlyMap<Action, Place> = new Map<Action, Place>([
  ["kill-word-left", findWordStart],
  ["kill-blank-left", findBlankBefore],
  ["kill-word-right", findWordEnd],
  ["kill-line-left", (buffer) => extendByOne(buffer, findLineStart(buffer), -1)],
  ["kill-line-right", (buffer) => extendByOne(buffer, findLineEnd(buffer), 1)],
]);

/** Returns an index one unit further when it equals the cursor, so that a deletion at a line's border removes the line end. */
function extendByOne({ text, cursor }: TextBuffer, index: number, step: 1 | -1): number {
  return index === cursor ? Math.max(0, Math.min(text.length, index + step)) : index;
}

export interface Undo {
  /** Keeps what stood there before a change; changes of one kind in a row come back together. */
  keep(buffer: TextBuffer, kind: string): void;
  /** Returns the state before the last change, or undefined when nothing is left. */
  back(): TextBuffer | undefined;
  /** Makes the next change a separate undo step. */
  rest(): void;
  clear(): void;
}

export function createUndo(): Undo {
  let kept: TextBuffer[] = [];
  let size = 0;
  let lastKind: string | undefined;

  return {
    keep(buffer, kind) {
      if (kind === lastKind) return;
      lastKind = kind;
      kept.push(buffer);
      size += buffer.text.length;
      while (kept.length > mostKept || size > mostUnits) size -= kept.shift()?.text.length ?? size;
    },
    back() {
      lastKind = undefined;
      const buffer = kept.pop();
      size -= buffer?.text.length ?? 0;
      return buffer;
    },
    rest() {
      lastKind = undefined;
    },
    clear() {
      kept = [];
      size = 0;
      lastKind = undefined;
    },
  };
}

const mostKept = 500;

/** Limits all kept states together, in UTF-16 units. */
const mostUnits = 8_000_000;

/** Navigates through earlier inputs. The unfinished text is kept at the end and restored there. */
export interface Recall {
  /** Returns the next older entry, or undefined at the oldest. `current` is the present text, which is kept for the way back. */
  older(current: string): string | undefined;
  /** Returns the next newer entry; undefined at the point where the navigation began. */
  newer(current: string): string | undefined;
  /** Ends the navigation; changes made during it are dropped. */
  leave(): void;
}

export function createRecall(history: InputHistory): Recall {
  let entries: readonly string[] = [];
  let place: number | undefined;
  const changed = new Map<number, string>();

  function recallEntry(index: number, current: string): string | undefined {
    if (index < 0 || index > entries.length) return undefined;
    changed.set(place ?? entries.length, current);
    place = index;
    return changed.get(index) ?? entries[index] ?? "";
  }

  return {
    older(current) {
      if (place === undefined) entries = [...history.entries];
      return recallEntry((place ?? entries.length) - 1, current);
    },
    newer: (current) => (place === undefined ? undefined : recallEntry(place + 1, current)),
    leave() {
      place = undefined;
      changed.clear();
    },
  };
}

/** Says that a text was not put in, since it would have made too long a text. */
export function renderTooLong(units: number, locale: Locale, columns: number): Line {
  const text = {
    zh: `太长，没有插入：${units} 个字符（允许：总共最多 ${mostTyped} 个）`,
    en: `Too long, not inserted: ${units} characters (allowed: at most ${mostTyped} in total)`,
  };
  return cutLine(createLine(say(locale, text), "warn"), columns);
}
