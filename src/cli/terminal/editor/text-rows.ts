import type { Live, Size } from "../screen/screen-types.ts";
import { createLine, type Line } from "../text/line.ts";
import { countCells, isPrintableAscii, splitGraphemes } from "../text/width.ts";
import { cutLine } from "../text/wrap.ts";

/** Breaks a text into at least one row of at most `width` cells. Reuses the rows of the unchanged parts of the previous text. */
export type BreakRows = (text: string, width: number) => readonly Row[];

interface RowLayout {
  readonly text: string;
  readonly width: number;
  readonly rows: readonly Row[];
}

export function createBreakRows(): BreakRows {
  let last: RowLayout | undefined;
  return (text, width) => {
    if (last?.text === text && last.width === width) return last.rows;
    last = { text, width, rows: last?.width === width ? rewrapRows(last, text) : breakRowsFrom(text, width, 0) };
    return last.rows;
  };
}

/** Breaks only the changed lines of a text. Keeps the rows before the change, and moves those behind it. */
function rewrapRows({ text: old, width, rows }: RowLayout, text: string): Row[] {
  const prefix = countCommonPrefix(old, text);
  const suffix = countCommonSuffix(old, text, prefix);
  const first = findRow(rows, Math.max(0, prefix - context));
  const moved = text.length - old.length;

  /** Returns the old rows from an unchanged line on. */
  function moveFollowingRows(start: number): Row[] | undefined {
    if (start <= text.length - suffix) return undefined;
    const index = findRow(rows, start - moved);
    return rows.slice(index).map((row) => ({ start: row.start + moved, end: row.end + moved }));
  }

  return [...rows.slice(0, first), ...breakRowsFrom(text, width, rows[first]?.start ?? 0, moveFollowingRows)];
}

/** Breaks the text into rows from an index at which a row begins; `following` may return known rows from a line on. */
function breakRowsFrom(
  text: string,
  width: number,
  from: number,
  following?: (start: number) => Row[] | undefined,
): Row[] {
  const rows: Row[] = [];
  let start = from;
  for (;;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const starts = findRowStarts(text.slice(start, end), width);
    starts.forEach((index, row) => {
      rows.push({ start: start + index, end: start + (starts[row + 1] ?? end - start) });
    });
    if (found < 0) return rows;
    start = found + 1;
    const rest = following?.(start);
    if (rest) return rows.concat(rest);
  }
}

function findRowStarts(line: string, width: number): number[] {
  if (isPrintableAscii(line)) {
    return Array.from({ length: Math.max(1, Math.ceil(line.length / width)) }, (_, row) => row * width);
  }
  const known = new Map<string, number>();
  const starts = [0];
  let start = 0;
  let index = 0;
  let cells = 0;
  for (const grapheme of splitGraphemes(line)) {
    const wide = known.get(grapheme) ?? countCells(grapheme);
    known.set(grapheme, wide);
    if (cells + wide > width && index > start) {
      start = index;
      starts.push(start);
      cells = 0;
    }
    index += grapheme.length;
    cells += wide;
  }
  return starts;
}

/** Text this many UTF-16 units before a change may still form a character together with the changed text. */
const context = 200;

/** Counts the UTF-16 units of the common beginning of two texts. */
export function countCommonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length + chunk <= most && one.slice(length, length + chunk) === other.slice(length, length + chunk)) {
    length += chunk;
  }
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}

/** Counts the UTF-16 units of the common end of two texts, after a shared prefix. */
export function countCommonSuffix(one: string, other: string, prefix: number): number {
  const most = Math.min(one.length, other.length) - prefix;
  let length = 0;
  while (length + chunk <= most && sliceEnd(one, length) === sliceEnd(other, length)) length += chunk;
  while (length < most && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) {
    length++;
  }
  return length;
}

function sliceEnd(text: string, length: number): string {
  return text.slice(text.length - length - chunk, text.length - length);
}

/** Comparing whole chunks is much faster than comparing unit by unit. */
const chunk = 4_096;

/** Represents one screen row of a text as indices into the text; its line end belongs to no row. */
export interface Row {
  readonly start: number;
  readonly end: number;
}

/** Finds the row that contains an index; at the border of two rows it is the second, where typing continues. */
export function findRow(rows: readonly Row[], index: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((rows[middle]?.start ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Counts the cells before an index in its row. */
export function findColumn(text: string, row: Row, index: number): number {
  return countCells(text.slice(row.start, index));
}

/** Finds the index in a row that is nearest to a column, from the left, and at most the last one of the row. */
export function findIndex(text: string, rows: readonly Row[], row: number, column: number): number {
  const { start, end } = rows[row] ?? { start: 0, end: 0 };
  let index = start;
  let cells = 0;
  for (const grapheme of splitGraphemes(text.slice(start, end))) {
    cells += countCells(grapheme);
    if (cells > column) break;
    // Behind the last character of a row that goes on stands the next row already.
    if (index + grapheme.length === rows[row + 1]?.start) break;
    index += grapheme.length;
  }
  return index;
}

/** Divides a row of the screen between the prompt and the text, in cells. */
export interface Frame {
  /** Precedes each row of the text; in the first row, the prompt takes its place. */
  readonly indent: number;
  /** Is the width of the text; the cell after it is for the cursor. */
  readonly width: number;
  /** Is true when the prompt has a row of its own, because it would leave too little room for the text. */
  readonly isPromptAbove: boolean;
}

export function createFrame(prompt: string, columns: number): Frame {
  const cells = countCells(prompt);
  const isPromptAbove = cells > Math.max(2, columns / 2);
  const indent = isPromptAbove ? (columns < 20 ? 0 : 2) : cells;
  return { indent, width: Math.max(1, columns - indent - 1), isPromptAbove };
}

/** Returns how many rows of a text may be visible: at most a third of the screen's. */
export function getMaxRows({ rows }: Size, { isPromptAbove }: Frame): number {
  return Math.max(1, Math.floor(rows / 3) - (isPromptAbove ? 1 : 0));
}

/** Returns the first visible row, so that the cursor's row is visible; `top` is the previous one. */
export function scroll(top: number, cursorRow: number, shown: number, count: number): number {
  const near = Math.max(cursorRow - shown + 1, Math.min(top, cursorRow));
  return Math.max(0, Math.min(near, count - shown));
}

export interface TextView {
  readonly prompt: string;
  readonly text: string;
  readonly cursor: number;
  readonly rows: readonly Row[];
  readonly frame: Frame;
  readonly top: number;
  readonly size: Size;
}

export function renderText({ prompt, text, cursor, rows, frame, top, size }: TextView): Live {
  const { columns } = size;
  const visible = rows.slice(top, top + getMaxRows(size, frame));
  const lines: Line[] = frame.isPromptAbove ? [createLine(prompt.trimEnd(), "accent")] : [];
  const first = lines.length;
  for (const [index, { start, end }] of visible.entries()) {
    const isFirst = index === 0 && !frame.isPromptAbove;
    const before: Line = isFirst ? createLine(prompt, "accent") : createLine(" ".repeat(frame.indent));
    lines.push([...before, { text: text.slice(start, end) }]);
  }
  const row = findRow(rows, cursor);
  const column = frame.indent + findColumn(text, rows[row] ?? { start: 0, end: 0 }, cursor);
  return {
    lines: lines.map((line) => cutLine(line, columns)),
    cursor: { row: first + row - top, column: Math.min(column, columns - 1) },
  };
}
