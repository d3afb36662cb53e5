import { toDisplayedLine } from "../text/characters.ts";
import { type Line, toPlainText } from "../text/line.ts";
import { countCells, countLineCells, splitGraphemes } from "../text/width.ts";
import type { Size } from "./screen-types.ts";

/** Holds a live row as the terminal shows it. */
export interface DrawnRow {
  readonly painted: string;
  readonly text: string;
  readonly cells: number;
}

/** Holds what the terminal shows below the finished lines. */
export interface Drawn {
  readonly rows: readonly DrawnRow[];
  /** Holds the position of the terminal's cursor; a hidden one is in the first cell. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly isCursorShown: boolean;
  readonly size: Size;
}

/** Creates a screen without live lines, with the cursor at the start of an empty row. */
export function createEmptyDrawn(size: Size): Drawn {
  return { rows: [{ painted: "", text: "", cells: 0 }], cursor: { row: 0, column: 0 }, isCursorShown: true, size };
}

export type DrawRow = (line: Line) => DrawnRow;

/** Caches painted lines, so that a line shown in several frames is painted once. */
export function createDrawRow(paint: (line: Line) => string): DrawRow {
  const rows = new WeakMap<Line, DrawnRow>();
  return (line) => {
    const known = rows.get(line);
    if (known) return known;
    const row = { painted: paint(line), text: toPlainText(toDisplayedLine(line)), cells: countLineCells(line) };
    rows.set(line, row);
    return row;
  };
}

/** Describes how a narrower terminal rewraps live lines, each of which took one row before. */
export interface RewrappedLines {
  /** Counts the additional rows that each line takes. */
  readonly added: readonly number[];
  /** Is the index of the cursor's line, from 0. */
  readonly cursor: number;
  /** Counts the additional rows of the cursor's line up to the cursor. */
  readonly upToCursor: number;
  /** Is true when the terminal has also lost rows. */
  readonly isShorter: boolean;
}

/** Returns by how many rows a terminal has moved the cursor away from the first live row. The result is never too high. */
export type Reflow = (rewrapped: RewrappedLines) => number;

/**
 * Returns by how many rows the cursor is below the first live row after the terminal was resized. The result is never too high,
 * so that no finished line is taken for a live one; where terminals differ, it may be too low.
 */
export function countRowsAboveCursor({ rows, cursor, size }: Drawn, now: Size, reflow: Reflow): number {
  if (now.columns >= size.columns) return cursor.row;
  const { cells = 0 } = rows[cursor.row] ?? {};
  // Behind its text, terminals differ in where the cursor goes.
  const column = Math.min(cursor.column, Math.max(0, cells - 1));
  const moved = reflow({
    added: rows.map(({ text }) => countRows(text, now.columns) - 1),
    cursor: cursor.row,
    upToCursor: Math.floor(column / now.columns),
    isShorter: now.rows < size.rows,
  });
  return cursor.row + moved;
}

/** Counts the rows that a terminal needs for a line; a wide character that does not fit moves to the next row. */
function countRows(text: string, columns: number): number {
  let rows = 1;
  let used = 0;
  for (const grapheme of splitGraphemes(text)) {
    const cells = countCells(grapheme);
    used += cells;
    if (used <= columns) continue;
    rows++;
    used = cells;
  }
  return rows;
}
