import type { Live, Size } from "../screen/live.ts";
import { createLine, type Line } from "../text/line.ts";
import { countCells } from "../text/width.ts";
import { cutLine } from "../text/wrap.ts";
import { findColumn, findRow, type Row } from "./text/break-rows.ts";

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
