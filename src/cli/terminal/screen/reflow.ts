import { countCells, splitGraphemes } from "../text/width.ts";
import type { Drawn } from "./drawn.ts";
import type { Size } from "./live.ts";

/** What becomes of live lines, each of which took one row, in a terminal that has become narrower and wraps them. */
export interface Rewrapped {
  /** How many rows more each of them takes. */
  readonly added: readonly number[];
  /** The line of the cursor, from 0 on. */
  readonly cursor: number;
  /** How many rows more the cursor's line takes up to the cursor. */
  readonly upToCursor: number;
  /** Whether the terminal has lost rows too. */
  readonly isShorter: boolean;
}

/** By how many rows a terminal has moved the cursor away from the first live row. Never too many. */
export type Reflow = (rewrapped: Rewrapped) => number;

/**
 * By how many rows the cursor stands below the first live row, in a terminal that has got another size since they were
 * drawn. Never too many, so that no finished line is taken for a live one; where terminals differ, it may be too few.
 */
export function countRowsAboveCursor({ rows, cursor, size }: Drawn, now: Size, reflow: Reflow): number {
  if (now.columns >= size.columns) return cursor.row;
  const { cells = 0 } = rows[cursor.row] ?? {};
  // Behind its text, terminals differ in where the cursor goes.
  const column = Math.min(cursor.column, Math.max(0, cells - 1));
  const moved = reflow({
    added: rows.map(({ text }) => rowsOf(text, now.columns) - 1),
    cursor: cursor.row,
    upToCursor: Math.floor(column / now.columns),
    isShorter: now.rows < size.rows,
  });
  return cursor.row + moved;
}

/** How many rows a terminal needs for a line; a wide character that does not fit any more goes to the next one. */
function rowsOf(text: string, columns: number): number {
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
