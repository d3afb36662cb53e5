import { countCells, splitGraphemes } from "../../text/width.ts";

/** One row of a text on the screen, as indices into the text; its line end stands in none. */
export interface Row {
  readonly start: number;
  readonly end: number;
}

/** The row where an index stands: at the border of two it is the second, where typing goes on. */
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

/** The cells before an index in its row. */
export function findColumn(text: string, row: Row, index: number): number {
  return countCells(text.slice(row.start, index));
}

/** The index in a row that is nearest to a column, from the left; the last one of the row at most. */
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
