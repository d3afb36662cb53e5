import { toDisplayedLine } from "../text/spread.ts";
import { countCells, countLineCells, type Line, splitGraphemes, toPlainText } from "../text/width.ts";

/** A row of what is live, as the terminal has it. */
export interface DrawnRow {
  readonly painted: string;
  readonly text: string;
  readonly cells: number;
}

/** What the terminal shows below the finished lines. */
export interface Drawn {
  readonly rows: readonly DrawnRow[];
  /** Where the terminal's cursor is; a hidden one is in the first cell. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly isCursorShown: boolean;
  readonly size: Size;
}

/** A screen on which nothing is live: the cursor is at the start of an empty row. */
export function createEmptyDrawn(size: Size): Drawn {
  return { rows: [{ painted: "", text: "", cells: 0 }], cursor: { row: 0, column: 0 }, isCursorShown: true, size };
}

/** In cells and lines. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What stands at the bottom of the screen and may change: none of its lines is wider than the screen. */
export interface Live {
  readonly lines: readonly Line[];
  /** Where the cursor stands, from 0 on, in cells; none hides it. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** Finished lines from one point on. */
export interface ReplaceableLines {
  /** What was written so far. */
  readonly lines: readonly Line[];
  /**
   * Puts other lines in the place of some. False, and nothing changes, where all of these have scrolled off the screen, or
   * where the terminal's size has changed since, so that nobody knows where they stand. Of lines that have scrolled off in part
   * those above the screen stay as they are.
   */
  replace(from: number, to: number, lines: readonly Line[]): boolean;
}

/** Where finished lines go, once, and what is below them is drawn anew. */
export interface Screen {
  readonly size: Size;
  /** Writes finished lines above what is live; they are touched again only by a passage. A line that is too wide is wrapped. */
  write(lines: readonly Line[]): void;
  /**
   * Lines that are written from here on can be replaced, as long as they stand on the screen: see `Passage`. Only the newest
   * passage can. Absent where what is written is never touched again.
   */
  beginPassage?(): ReplaceableLines;
  /** Asks for a frame; there are at most 20 a second. */
  refresh(): void;
  /** Draws a frame at once, as for a key. */
  refreshNow(): void;
}

/** A line as the terminal is to have it. */
export type DrawRow = (line: Line) => DrawnRow;

/** A line that stands in several frames is painted once. */
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
