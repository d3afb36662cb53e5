import { countRowsAboveCursor, type Drawn, type DrawnRow, type DrawRow, type Reflow } from "./drawn.ts";
import type { Live, Size } from "./screen-types.ts";

export interface Frame {
  readonly drawn: Drawn;
  /** Holds the live lines, which fit the size. */
  readonly live: Live;
  readonly size: Size;
  /** Holds the painted finished lines. */
  readonly finished: readonly string[];
  /** Counts the rows of finished lines, directly above the drawn ones, that are replaced. */
  readonly replaced?: number;
  readonly drawRow: DrawRow;
  readonly reflow: Reflow;
}

const csi = "\u001b[";
const eraseBelow = `${csi}J`;
const eraseRight = `${csi}K`;

/**
 * Returns the bytes that turn the drawn lines into the live ones, and the new drawn state. There are no bytes when both are the
 * same.
 */
export function drawFrame(frame: Frame): { bytes: string; drawn: Drawn } {
  const { drawn, live, size } = frame;
  const rows = live.lines.map(frame.drawRow);
  const cursor = live.cursor ?? { row: 0, column: 0 };
  const isCursorShown = live.cursor !== undefined;
  const isReplacing = (frame.replaced ?? 0) > 0;
  const isWhole =
    frame.finished.length > 0 || isReplacing || drawn.size.columns !== size.columns || drawn.size.rows !== size.rows;
  const changes = isWhole ? drawAnew(frame, rows) : drawChanges(drawn, rows, size.columns);
  const at = changes === undefined ? drawn.cursor : { row: changes.row, column: -1 };
  const moves = move(at, cursor);
  const visibility = isCursorShown === drawn.isCursorShown ? "" : isCursorShown ? showCursor : hideCursor;
  const content = (changes?.bytes ?? "") + moves + visibility;
  return {
    bytes: content === "" ? "" : `${csi}?2026h${content}${csi}?2026l`,
    drawn: { rows, cursor, isCursorShown, size },
  };
}

/** Erases what is drawn and leaves the cursor, shown, where the next finished line would begin, below these. */
export function eraseDrawn({ drawn, size, finished, reflow }: Omit<Frame, "live" | "drawRow">): string {
  const shownAgain = drawn.isCursorShown ? "" : showCursor;
  return toTop(drawn, size, reflow) + eraseBelow + joinRows(finished) + shownAgain;
}

export function joinRows(painted: readonly string[]): string {
  return painted.map((line) => `${line}\r\n`).join("");
}

/** Holds bytes, and the row in which they leave the cursor. */
interface Drawing {
  readonly bytes: string;
  readonly row: number;
}

function drawAnew({ drawn, size, finished, reflow, replaced = 0 }: Frame, rows: readonly DrawnRow[]): Drawing {
  const painted = rows.map((row) => row.painted).join("\r\n");
  const top = toTop(drawn, size, reflow) + moveVertically(replaced, 0);
  const bytes = top + eraseBelow + joinRows(finished) + disableWrapping(painted);
  return { bytes, row: rows.length - 1 };
}

function drawChanges(drawn: Drawn, rows: readonly DrawnRow[], columns: number): Drawing | undefined {
  let at = drawn.cursor.row;
  let bytes = "";
  rows.forEach((row, index) => {
    const old = drawn.rows[index];
    if (old?.painted === row.painted) return;
    // A row that is not there yet is made by a newline, which scrolls at the bottom of the screen.
    const from = Math.min(index, drawn.rows.length - 1);
    if (index >= drawn.rows.length && at < from) bytes += moveVertically(at, from);
    bytes += old ? `${moveVertically(at, index)}\r` : "\r\n";
    bytes += old ? replaceRow(row, columns) : row.painted;
    at = index;
  });
  if (rows.length < drawn.rows.length) {
    bytes += `${moveVertically(at, rows.length)}\r${eraseBelow}`;
    at = rows.length;
  }
  return bytes === "" ? undefined : { bytes: disableWrapping(bytes), row: at };
}

/**
 * Replaces a row and erases what is left behind its text; it erases first when erasing afterwards would remove the last
 * character.
 */
function replaceRow({ painted, cells }: DrawnRow, columns: number): string {
  return cells < columns ? painted + eraseRight : eraseRight + painted;
}

function toTop(drawn: Drawn, size: Size, reflow: Reflow): string {
  return `\r${moveVertically(countRowsAboveCursor(drawn, size, reflow), 0)}`;
}

function move(from: { row: number; column: number }, to: { row: number; column: number }): string {
  const down = moveVertically(from.row, to.row);
  if (from.column === to.column) return down;
  return `${down}\r${to.column > 0 ? `${csi}${to.column}C` : ""}`;
}

function moveVertically(from: number, to: number): string {
  if (from === to) return "";
  return from > to ? `${csi}${from - to}A` : `${csi}${to - from}B`;
}

/** Turns the terminal's own wrapping off, so that a row stays one row even when the terminal finds it wider than we do. */
function disableWrapping(bytes: string): string {
  return `${csi}?7l${bytes}${csi}?7h`;
}

const showCursor = `${csi}?25h`;
const hideCursor = `${csi}?25l`;
