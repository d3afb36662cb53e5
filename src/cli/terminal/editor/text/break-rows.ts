import { isPrintableAscii } from "../../text/displayed-text.ts";
import { countCells, splitGraphemes } from "../../text/width.ts";
import { countCommonPrefix, countCommonSuffix } from "./common-ends.ts";
import { findRow, type Row } from "./rows.ts";

/** Breaks a text into rows of so many cells, at least one. What has not changed since the last time is not broken anew. */
export type BreakRows = (text: string, width: number) => readonly Row[];

interface Broken {
  readonly text: string;
  readonly width: number;
  readonly rows: readonly Row[];
}

export function createBreakRows(): BreakRows {
  let last: Broken | undefined;
  return (text, width) => {
    if (last?.text === text && last.width === width) return last.rows;
    last = { text, width, rows: last?.width === width ? breakAgain(last, text) : breakFrom(text, width, 0) };
    return last.rows;
  };
}

/** Keeps the rows before a change, and those of the lines behind it. */
function breakAgain({ text: old, width, rows }: Broken, text: string): Row[] {
  const prefix = countCommonPrefix(old, text);
  const suffix = countCommonSuffix(old, text, prefix);
  const first = findRow(rows, Math.max(0, prefix - context));
  const moved = text.length - old.length;

  /** The old rows from a line on that has not changed. */
  function following(start: number): Row[] | undefined {
    if (start <= text.length - suffix) return undefined;
    const index = findRow(rows, start - moved);
    return rows.slice(index).map((row) => ({ start: row.start + moved, end: row.end + moved }));
  }

  return [...rows.slice(0, first), ...breakFrom(text, width, rows[first]?.start ?? 0, following)];
}

/** The rows from an index on where one begins; `following` may know those from a line on. */
function breakFrom(text: string, width: number, from: number, following?: (start: number) => Row[] | undefined): Row[] {
  const rows: Row[] = [];
  let start = from;
  for (;;) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    const starts = startsOf(text.slice(start, end), width);
    starts.forEach((index, row) => {
      rows.push({ start: start + index, end: start + (starts[row + 1] ?? end - start) });
    });
    if (found < 0) return rows;
    start = found + 1;
    const rest = following?.(start);
    if (rest) return rows.concat(rest);
  }
}

function startsOf(line: string, width: number): number[] {
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

/** UTF-16 units before a change in which what follows may still join with what stands there. */
const context = 200;
