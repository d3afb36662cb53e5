import type { InputHistory } from "./editor.ts";
import { deletions, kills, moves } from "./edits.ts";
import { createRecall } from "./history/recall.ts";
import type { Action } from "./keymap.ts";
import { createBreakRows } from "./text/break-rows.ts";
import { createBuffer, emptyBuffer, insert, moveTo, removeTo, type TextBuffer } from "./text/buffer.ts";
import { findColumn, findIndex, findRow, type Row } from "./text/rows.ts";
import { createUndo } from "./undo.ts";

/** UTF-16 units that may be typed; nothing is put in that would make more. */
export const mostTyped = 1_000_000;

/** The text and what keys do to it, without its looks. */
export interface Typing {
  readonly buffer: TextBuffer;
  readonly textBefore: string;
  /** Its rows where they are so many cells wide; Up and Down go by them from then on. */
  rows(width: number): readonly Row[];
  /** Puts text in at the cursor, or in place of what stands from an index on. False where it would be too long: nothing changes. */
  put(text: string, from?: number): boolean;
  /** Moves, deletes, puts in again, undoes; undefined where the action is none of these, else whether the text has changed. */
  edit(action: Action): boolean | undefined;
  /** Goes a row up or down, and from the border on through what was typed before. */
  goVertically(step: 1 | -1): void;
  /** Puts this text in place of all. */
  set(text: string): void;
  /** Gives the text, which is kept in the history, and begins anew. */
  submit(): string;
}

export function createTyping(history: InputHistory): Typing {
  const undo = createUndo();
  const recall = createRecall(history);
  const breakRows = createBreakRows();
  let buffer = emptyBuffer;
  let width = 79;
  let killed = "";
  /** Whether the last key took text out, so that the next that does adds to it. */
  let isKilling = false;
  /** The column where Up and Down began. */
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

  function endOfStroke(action?: Action): void {
    isKilling = action !== undefined && kills.has(action);
    column = undefined;
  }

  function put(text: string, from = buffer.cursor): boolean {
    endOfStroke();
    if (buffer.text.length - (buffer.cursor - from) + text.length > mostTyped) return false;
    // A word comes back at a time, and whatever was put in at once.
    const isTyped = from === buffer.cursor && text.length <= 2;
    if (!isTyped) undo.rest();
    change(insert(buffer, text, from), "type");
    if (!isTyped || /\s/.test(text)) undo.rest();
    return true;
  }

  function edit(action: Action): boolean | undefined {
    const move = moves.get(action);
    const deletion = deletions.get(action);
    const killing = kills.get(action);
    const { text } = buffer;
    if (move) {
      undo.rest();
      buffer = moveTo(buffer, move(buffer));
    } else if (deletion) change(removeTo(buffer, deletion(buffer)), action);
    else if (killing) kill(killing(buffer));
    else if (action === "undo") buffer = undo.back() ?? buffer;
    else if (action === "yank") return put(killed);
    else return undefined;
    endOfStroke(action);
    return buffer.text !== text;
  }

  function goVertically(step: 1 | -1): void {
    const rows = breakRows(buffer.text, width);
    const row = findRow(rows, buffer.cursor);
    const from = rows[row];
    undo.rest();
    isKilling = false;
    if (from !== undefined && rows[row + step] !== undefined) {
      column ??= findColumn(buffer.text, from, buffer.cursor);
      buffer = moveTo(buffer, findIndex(buffer.text, rows, row + step, column));
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
    put,
    edit,
    goVertically,
    set(text) {
      endOfStroke();
      recall.leave();
      undo.rest();
      change(createBuffer(text.replace(/\r\n?/g, "\n").slice(0, mostTyped)), "set");
      undo.rest();
    },
    submit() {
      const { text } = buffer;
      endOfStroke();
      recall.leave();
      undo.clear();
      buffer = emptyBuffer;
      if (text.trim() !== "") history.add(text);
      return text;
    },
  };
}
