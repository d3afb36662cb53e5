import { mayBreak } from "./breaks.ts";
import { type Grapheme, gather, spread } from "./graphemes.ts";
import type { Line } from "./line.ts";
import { shown } from "./shown.ts";
import { cellsOfLine } from "./width.ts";

export interface WrapOptions {
  /** What stands before the first row. */
  readonly indent?: Line | undefined;
  /** What stands before every further row; without it, spaces as wide as the indent. */
  readonly hanging?: Line | undefined;
}

/**
 * The rows that a line takes where there are so many columns: broken at the borders of words, between East Asian
 * characters, and inside a word that is wider than a row. Spaces where a row ends are left out; styles and links stay. At
 * least one row comes back, and none is wider than the columns where these are at least two.
 */
export function wrapLine(line: Line, columns: number, options: WrapOptions = {}): Line[] {
  const indent = fitting(options.indent ?? [], columns);
  const hanging = fitting(options.hanging ?? blanks(cellsOfLine(indent)), columns);
  if (cellsOfLine(indent) + cellsOfLine(line) <= columns) return [[...indent, ...shownLine(line)]];
  const widths = { first: columns - cellsOfLine(indent), further: columns - cellsOfLine(hanging) };
  return breakRows(spread(line), widths).map((row, index) => [...(index === 0 ? indent : hanging), ...gather(row)]);
}

/** The line in so many columns, its end left out for `…` where it is wider. */
export function cutLine(line: Line, columns: number): Line {
  if (cellsOfLine(line) <= columns) return shownLine(line);
  const kept: Grapheme[] = [];
  let cells = 1;
  for (const grapheme of spread(line)) {
    cells += grapheme.cells;
    if (cells > columns) {
      return columns < 1 ? [] : gather([...kept, { ...grapheme, text: "…", cells: 1 }]);
    }
    kept.push(grapheme);
  }
  return gather(kept);
}

/** Made that wide with spaces; a line that is as wide or wider stays. */
export function padTo(line: Line, cells: number, align: "left" | "right" | "center" = "left"): Line {
  const missing = Math.max(0, cells - cellsOfLine(line));
  const before = align === "left" ? 0 : align === "right" ? missing : Math.floor(missing / 2);
  return [...blanks(before), ...line, ...blanks(missing - before)];
}

/** Exactly that wide: cut or padded. */
export function fitCells(line: Line, cells: number, align: "left" | "right" | "center" = "left"): Line {
  return padTo(cutLine(line, cells), cells, align);
}

/** What stands before a row has to leave room for a wide character. */
function fitting(before: Line, columns: number): Line {
  return cellsOfLine(before) + 2 <= columns ? before : [];
}

function blanks(cells: number): Line {
  return cells > 0 ? [{ text: " ".repeat(cells) }] : [];
}

function shownLine(line: Line): Line {
  return line.map((span) => ({ ...span, text: shown(span.text) }));
}

function breakRows(graphemes: readonly Grapheme[], widths: { first: number; further: number }): Grapheme[][] {
  const rows: Grapheme[][] = [];
  let start = 0;
  while (start < graphemes.length) {
    const end = endOfRow(graphemes, start, rows.length === 0 ? widths.first : widths.further);
    rows.push(withoutSpacesAtEnd(graphemes.slice(start, end)));
    start = end;
    while (graphemes[start]?.text === " ") start++;
  }
  return rows;
}

function endOfRow(graphemes: readonly Grapheme[], start: number, width: number): number {
  let cells = 0;
  let lastBreak = start;
  let hasWord = false;
  for (let index = start; index < graphemes.length; index++) {
    const grapheme = graphemes[index];
    if (!grapheme) break;
    const before = graphemes[index - 1];
    if (hasWord && before && mayBreak(before, grapheme)) lastBreak = index;
    cells += grapheme.cells;
    if (grapheme.text === " ") continue;
    hasWord = true;
    if (cells > width) return lastBreak > start ? lastBreak : Math.max(index, start + 1);
  }
  return graphemes.length;
}

function withoutSpacesAtEnd(row: readonly Grapheme[]): Grapheme[] {
  return row.slice(0, row.findLastIndex(({ text }) => text !== " ") + 1);
}
