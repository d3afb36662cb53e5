import { type Characters, getLength, isSpace, joinCharacters, splitCharacters, toDisplayedLine } from "./characters.ts";
import type { Line } from "./line.ts";
import { countLineCells } from "./width.ts";

export interface WrapOptions {
  /** Precedes the first row. */
  readonly indent?: Line | undefined;
  /** Precedes every further row; when absent, spaces as wide as the indent do. */
  readonly hanging?: Line | undefined;
}

/**
 * Wraps a line to this many columns: at the borders of words, between East Asian characters, and inside a word that is wider
 * than a row. Spaces at the end of a row are left out; styles and links stay. Returns at least one row, and none is wider than
 * the columns when there are at least two.
 */
export function wrapLine(line: Line, columns: number, options: WrapOptions = {}): Line[] {
  const indent = fitIndent(options.indent ?? [], columns);
  const indentCells = countLineCells(indent);
  if (indentCells + countLineCells(line) <= columns) return [joinLines(indent, toDisplayedLine(line))];
  const hanging = fitIndent(options.hanging ?? createBlanks(indentCells), columns);
  const widths = { first: columns - indentCells, further: columns - countLineCells(hanging) };
  return breakRows(splitCharacters(line), widths).map((row, index) => joinLines(index === 0 ? indent : hanging, row));
}

/** Cuts a line to this many columns, with `…` in place of the missing end. */
export function cutLine(line: Line, columns: number): Line {
  if (countLineCells(line) <= columns) return toDisplayedLine(line);
  if (columns < 1) return [];
  const characters = splitCharacters(line);
  let cells = 1;
  let out = 0;
  while (cells <= columns && out < characters.cells.length) cells += characters.cells[out++] ?? 0;
  const kept = joinCharacters(characters, 0, out);
  const last = kept.at(-1);
  if (!last) return kept;
  const left = getLength(characters, out - 1);
  return [...kept.slice(0, -1), { ...last, text: `${last.text.slice(0, -left)}…` }];
}

/** Pads a line with spaces; a line that is as wide or wider stays unchanged. */
export function padTo(line: Line, cells: number, align: "left" | "right" | "center" = "left"): Line {
  const missing = Math.max(0, cells - countLineCells(line));
  const before = align === "left" ? 0 : align === "right" ? missing : Math.floor(missing / 2);
  return [...createBlanks(before), ...line, ...createBlanks(missing - before)];
}

/** Cuts or pads a line to exactly this width. */
export function fitCells(line: Line, cells: number, align: "left" | "right" | "center" = "left"): Line {
  return padTo(cutLine(line, cells), cells, align);
}

/** Drops the indent when it leaves no room for a wide character. */
function fitIndent(before: Line, columns: number): Line {
  return countLineCells(before) + 2 <= columns ? before : [];
}

function createBlanks(cells: number): Line {
  return cells > 0 ? [{ text: " ".repeat(cells) }] : [];
}

function joinLines(before: Line, line: Line): Line {
  return before.length === 0 ? line : [...before, ...line];
}

function breakRows(characters: Characters, widths: { first: number; further: number }): Line[] {
  const { length } = characters.starts;
  const rows: Line[] = [];
  let start = 0;
  while (start < length) {
    const end = findRowEnd(characters, start, rows.length === 0 ? widths.first : widths.further);
    rows.push(joinCharacters(characters, start, trimSpacesAtEnd(characters, start, end)));
    start = skipSpaces(characters, end);
  }
  return rows;
}

function findRowEnd(characters: Characters, start: number, width: number): number {
  const firstWord = skipSpaces(characters, start);
  const tooWide = findWidthEnd(characters, start, width);
  if (tooWide === characters.starts.length) return tooWide;
  let end = tooWide;
  while (end > firstWord && !canBreak(characters, end)) end--;
  return end > firstWord ? end : Math.max(tooWide, start + 1);
}

/** Returns the index of the first non-space character that exceeds the width. */
function findWidthEnd(characters: Characters, start: number, width: number): number {
  const { length } = characters.starts;
  let cells = 0;
  for (let index = start; index < length; index++) {
    cells += characters.cells[index] ?? 0;
    if (cells > width && !isSpace(characters, index)) return index;
  }
  return length;
}

function skipSpaces(characters: Characters, start: number): number {
  let index = start;
  while (index < characters.starts.length && isSpace(characters, index)) index++;
  return index;
}

function trimSpacesAtEnd(characters: Characters, start: number, end: number): number {
  let last = end;
  while (last > start && isSpace(characters, last - 1)) last--;
  return last;
}

/**
 * Returns true when a row may begin with this character of a line, which is not its first: after a space, and between two
 * characters of which one is East Asian (except Hangul, which has words), but never with a closing mark or after an opening one
 * (https://www.w3.org/TR/clreq/#prohibition_rules_for_line_start_end).
 */
export function canBreak(characters: Characters, index: number): boolean {
  if (isSpace(characters, index)) return false;
  if (isSpace(characters, index - 1)) return true;
  if (hasWords(characters, index - 1) && hasWords(characters, index)) return false;
  const { text, starts, cells } = characters;
  const start = starts[index] ?? 0;
  const isKept = closing.has(text.slice(start, starts[index + 1])) || opening.has(text.slice(starts[index - 1], start));
  return cells[index] !== 0 && !isKept;
}

function hasWords({ text, starts, cells }: Characters, index: number): boolean {
  return (cells[index] ?? 0) < 2 || hangul.test(text.charAt(starts[index] ?? 0));
}

const hangul = /[\u1100-\u11ff\uac00-\ud7a3]/;
const opening: ReadonlySet<string> = new Set("([{<“‘（「『【《〈〔〖［｛｢￥＄$");
const closing: ReadonlySet<string> = new Set(
  ")]}>,.;:!?%”’…—·。，、．；：？！）」』】》〉〕〗］｝｣％～〜‥・ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ",
);
