import { type Line, toPlainText } from "../text/line.ts";
import { toDisplayedLine } from "../text/spread.ts";
import { countLineCells } from "../text/width.ts";
import type { DrawnRow } from "./drawn.ts";

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
