import { createLine, type Line, type Span, type Style } from "../text/line.ts";
import { countLineCells } from "../text/width.ts";
import { padTo, wrapLine } from "../text/wrap.ts";
import type { Align } from "./block.ts";

/** Holds the unwrapped lines of a cell. */
export type Cell = readonly Line[];

/** A table's first rows settle its form: a frame, or one record per row when its columns would be too narrow. */
export type TableForm =
  | { readonly kind: "frame"; readonly widths: readonly number[]; readonly isRuled: boolean }
  | { readonly kind: "records" };

/** Is the minimum width, in cells, of a column whose text has to be wrapped. */
const narrowest = 6;

/** Chooses the form for these rows; when more rows follow, spare width is kept for wider cells. */
export function chooseForm(rows: readonly (readonly Cell[])[], columns: number, goesOn = false): TableForm {
  const natural = (rows[0] ?? []).map((_, index) => Math.max(1, ...rows.map((row) => measureCell(row[index] ?? []))));
  const room = columns - 3 * natural.length - 1;
  const needed = natural.reduce((sum, width) => sum + width, 0);
  if (needed <= room)
    return { kind: "frame", widths: goesOn ? widen(natural, room - needed) : natural, isRuled: false };
  const widths = shareWidth(natural, room);
  const isTooNarrow = widths.some((width, index) => width < Math.min(narrowest, natural[index] ?? 0));
  return isTooNarrow ? { kind: "records" } : { kind: "frame", widths, isRuled: true };
}

function widen(widths: readonly number[], spare: number): number[] {
  const share = Math.floor(spare / widths.length);
  return widths.map((width) => width + Math.min(share, Math.max(4, Math.ceil(width / 2))));
}

function measureCell(cell: Cell): number {
  return Math.max(0, ...cell.map(countLineCells));
}

/** Columns that need less than their share get what they need; the others share what is left. */
function shareWidth(natural: readonly number[], room: number): number[] {
  const widths = natural.map(() => 0);
  let left = room;
  let open = [...natural.keys()].sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  while (open.length > 0) {
    const [index = 0, ...others] = open;
    const width = Math.max(0, Math.min(natural[index] ?? 0, Math.floor(left / open.length)));
    widths[index] = width;
    left -= width;
    open = others;
  }
  return widths;
}

export type Border = "top" | "middle" | "bottom";

const corners: Record<Border, readonly [string, string, string]> = {
  top: ["┌", "┬", "┐"],
  middle: ["├", "┼", "┤"],
  bottom: ["└", "┴", "┘"],
};

export function renderBorder(border: Border, widths: readonly number[]): Line {
  const [left, between, right] = corners[border];
  return createLine(`${left}${widths.map((width) => "─".repeat(width + 2)).join(between)}${right}`, "dim");
}

/** Renders a row in its frame, wrapping cells that are too wide. */
export function renderRow(row: readonly Cell[], widths: readonly number[], aligns: readonly Align[]): Line[] {
  const cells = widths.map((width, index) => (row[index] ?? []).flatMap((line) => wrapLine(line, width)));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) => [
    createBar("│ "),
    ...widths.flatMap((width, index) => [
      ...padTo(cells[index]?.[at] ?? [], width, aligns[index]),
      createBar(index === widths.length - 1 ? " │" : " │ "),
    ]),
  ]);
}

function createBar(text: string): Span {
  return { text, styles: ["dim"] };
}

/** Renders a row as one line for each cell, `header: value`. */
export function renderRecord(header: readonly Cell[], row: readonly Cell[], columns: number): Line[] {
  return row.flatMap((cell, index) => {
    const name = (header[index] ?? []).flat();
    const [first = [], ...further] = cell;
    const lines = [name.length > 0 ? [...name, { text: ": " }, ...first] : first, ...further];
    return lines.flatMap((line) => wrapLine(line, columns, { hanging: [{ text: "  " }] }));
  });
}

export function withStyle(line: Line, style: Style): Line {
  return line.map((part) => ({ ...part, styles: [...(part.styles ?? []), style] }));
}
