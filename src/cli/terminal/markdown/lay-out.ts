import type { Links } from "marked";
import { createState, highlight } from "../../../render/code/highlight.ts";
import type { Mode } from "../../../render/code/languages.ts";
import { createLine, type Line, type Span } from "../text/line.ts";
import { countCells, countLineCells } from "../text/width.ts";
import { wrapLine } from "../text/wrap.ts";
import type { CodePiece, Container, Piece, TablePiece, TextPiece } from "./block.ts";
import { countIndent, replaceTabs } from "./block-starts.ts";
import { type InlineContext, readInline, readReference, splitLines } from "./inline.ts";
import {
  type Cell,
  chooseForm,
  renderBorder,
  renderRecord,
  renderRow,
  type TableForm,
  withStyle,
} from "./table-form.ts";

/** Holds the state that the next piece is laid out after. */
export interface Layout {
  /** Holds the containers of the last line; those items have shown their marker already. Undefined before the first line. */
  readonly path: readonly Container[] | undefined;
  readonly last: Piece["kind"] | "heading" | undefined;
  /** Holds the last line of an unfinished text, without its margin; it is not shown yet. */
  readonly held: Line | undefined;
  readonly code: unknown;
  readonly table: TableForm | undefined;
  readonly links: Links;
}

export const blankLayout: Layout = {
  path: undefined,
  last: undefined,
  held: undefined,
  code: undefined,
  table: undefined,
  links: {},
};

export interface LayoutContext extends Omit<InlineContext, "links"> {
  readonly columns: number;
  /** Returns the mode that colours the code; undefined when there is none or it is not loaded yet. */
  modeOf(info: string): Mode | undefined;
}

/** Lays out a piece, and returns its lines and the state for the next piece. It has no side effects. */
export function layOut(before: Layout, piece: Piece, context: LayoutContext): { layout: Layout; lines: Line[] } {
  const gap = isGapNeeded(before, piece) ? [createGap(before.path ?? [], piece.path, context.columns)] : [];
  const margin = createMargin(piece.path, before.path ?? [], context.columns);
  const { layout, lines } = layOutBody(before, piece, { ...context, columns: context.columns - margin.width }, margin);
  const last = piece.kind === "text" && piece.look === "heading" ? "heading" : piece.kind;
  if (lines.length === 0) return { layout: { ...layout, last }, lines: gap };
  const placed = lines.map((line, index) => [...(index === 0 ? margin.first : margin.further), ...line]);
  return { layout: { ...layout, path: piece.path, last }, lines: [...gap, ...placed] };
}

function isGapNeeded({ path, last }: Layout, piece: Piece): boolean {
  if (!piece.first || path === undefined) return false;
  if (piece.spaced) return piece.kind !== "definition" || last !== "definition";
  if (piece.path.some(({ kind }) => kind === "item")) return false;
  // Where the writer left no line between them.
  return [last, piece.kind === "text" ? piece.look : piece.kind].some((kind) => kind !== undefined && apart.has(kind));
}

const apart: ReadonlySet<string> = new Set(["heading", "code", "table", "rule"]);

interface LayoutResult {
  readonly layout: Layout;
  readonly lines: Line[];
}

function layOutBody(before: Layout, piece: Piece, context: LayoutContext, { lead }: Margin): LayoutResult {
  switch (piece.kind) {
    case "text":
      return layOutText(before, piece, context, lead);
    case "code":
      return layOutCode(before, piece, context, lead);
    case "rule":
      return { layout: before, lines: [[...lead, ...createLine("─".repeat(Math.max(3, context.columns)), "dim")]] };
    case "definition": {
      const { label, address, source } = piece;
      const links = withLink(before.links, label.toLowerCase(), address);
      const line = [...lead, ...toDefinitionSpans(source, address)];
      return { layout: { ...before, links }, lines: wrapLine(line, context.columns) };
    }
    case "table": {
      const { form, lines } = layOutTable(before.table, piece, context.columns, (source) =>
        splitLines(readInline(source, { ...context, links: before.links })),
      );
      const first = lead.length > 0 ? [lead] : [];
      return { layout: { ...before, table: piece.last ? undefined : form }, lines: [...first, ...lines] };
    }
  }
}

/** An answer has few definitions; more than these would be a text made to cost time. */
const mostLinks = 100;

function withLink(links: Links, label: string, href: string): Links {
  return Object.keys(links).length < mostLinks ? { ...links, [label]: { href, title: undefined } } : links;
}

function toDefinitionSpans(source: string, address: string): Span[] {
  const [label = "", ...rest] = source.split(address);
  return [
    { text: label, styles: ["dim"] },
    { text: address, styles: ["dim"], href: address },
    { text: rest.join(address), styles: ["dim"] },
  ];
}

function layOutText(before: Layout, piece: TextPiece, context: LayoutContext, lead: readonly Span[]): LayoutResult {
  const held = piece.joins ? (before.held ?? []) : [];
  const [first = [], ...further] = splitLines(toSpans(piece, { ...context, links: before.links }));
  const rows = [[...lead, ...held, ...first], ...further].flatMap((line) => wrapLine(line, context.columns));
  return holdLast(before, rows, piece.continues);
}

function holdLast(before: Layout, rows: Line[], continues: boolean): LayoutResult {
  if (!continues) return { layout: { ...before, held: undefined }, lines: rows };
  return { layout: { ...before, held: rows.at(-1) }, lines: rows.slice(0, -1) };
}

function toSpans(piece: TextPiece, context: InlineContext): Span[] {
  const { look, source, path, first } = piece;
  if (look === "verbatim") return [{ text: source }];
  if (look === "heading") return readInline(source, context, "heading");
  if (!first || path.at(-1)?.kind !== "item") return readInline(source, context);
  const reference = readReference(source, context.citations);
  if (reference) return reference;
  const [box] = /^\[[ xX]\] /.exec(source) ?? [];
  if (box === undefined) return readInline(source, context);
  const done = box !== "[ ] ";
  return [{ text: box, styles: [done ? "good" : "dim"] }, ...readInline(source.slice(box.length), context)];
}

/** Is the indentation of code, in cells. */
const codeIndent = 2;

function layOutCode(before: Layout, piece: CodePiece, context: LayoutContext, lead: readonly Span[]): LayoutResult {
  const indent: Line = [{ text: " ".repeat(codeIndent) }];
  const hasHead = piece.first && (piece.info !== "" || piece.text === undefined || lead.length > 0);
  const name = { text: piece.info, styles: ["dim" as const] };
  const head = hasHead ? wrapLine([...lead, name], context.columns, { indent }) : [];
  const mode = context.modeOf(piece.info);
  const start = piece.first ? mode && createState(mode) : before.code;
  if (piece.text === undefined) return { layout: { ...before, code: start }, lines: head };
  const text = replaceTabs(piece.text);
  const isPart = piece.joins || piece.continues;
  const coloured = mode && !isPart ? highlight(mode, start, text) : { spans: [{ text }], state: start };
  const held = piece.joins ? (before.held ?? []) : [];
  const line = [...held, ...coloured.spans];
  const deep = Math.min(codeIndent + countIndent(text), Math.floor(context.columns / 2));
  const hanging = piece.joins ? indent : [{ text: " ".repeat(deep) }];
  const rows = wrapCode(line, context.columns, { indent: piece.joins && held.length > 0 ? [] : indent, hanging });
  const { layout, lines } = holdLast({ ...before, code: coloured.state }, rows, piece.continues);
  return { layout, lines: [...head, ...lines] };
}

/** Wrapping takes the spaces in front of a row for those between words; the ones that begin a line of code stay. */
function wrapCode(line: Line, columns: number, options: { indent: Line; hanging: Line }): Line[] {
  return countLineCells(line) === 0 ? [[]] : wrapLine(line, columns, options);
}

/** Lays out a part of a table in the form that its first part has settled. */
export function layOutTable(
  settled: TableForm | undefined,
  piece: TablePiece,
  columns: number,
  read: (source: string) => Cell,
): { form: TableForm; lines: Line[] } {
  const rows = piece.rows.map((row) => row.map(read));
  const header = piece.header.map((source) => read(source).map((line) => withStyle(line, "strong")));
  const form = (piece.first ? undefined : settled) ?? chooseForm([header, ...rows], columns, !piece.last);
  if (form.kind === "records") return { form, lines: renderRecords(piece, header, rows, columns) };
  const { widths, isRuled } = form;
  const { aligns, first, last } = piece;
  const lines = first ? [renderBorder("top", widths), ...renderRow(header, widths, aligns)] : [];
  for (const [index, row] of rows.entries()) {
    if (isRuled || (first && index === 0)) lines.push(renderBorder("middle", widths));
    lines.push(...renderRow(row, widths, aligns));
  }
  if (last) lines.push(renderBorder("bottom", widths));
  return { form, lines };
}

function renderRecords(piece: TablePiece, header: readonly Cell[], rows: readonly Cell[][], columns: number): Line[] {
  if (rows.length === 0 && piece.first) return renderRecord([], header, columns);
  return rows.flatMap((row, index) => {
    const gap: Line[] = piece.first && index === 0 ? [] : [[]];
    return [...gap, ...renderRecord(header, row, columns)];
  });
}

interface Margin {
  readonly first: Line;
  readonly further: Line;
  /** Makes the marks of items that do not fit beside the text a part of it. */
  readonly lead: readonly Span[];
  /** Is the width in cells. */
  readonly width: number;
}

/**
 * Creates the margin of a block: a bar for a quote; for an item its marker, or spaces where one of the `marked` paths has shown
 * it before. It takes at most half of the screen.
 */
function createMargin(path: readonly Container[], marked: readonly Container[], columns: number): Margin {
  const first: Span[] = [];
  const further: Span[] = [];
  const lead: Span[] = [];
  let width = 0;
  for (const [index, container] of path.entries()) {
    const isNew = marked[index] !== container;
    const mark = container.kind === "quote" ? "│ " : `${container.marker} `;
    const cells = countCells(mark);
    if (width + cells > columns / 2) {
      if (isNew && container.kind === "item") lead.push({ text: mark, styles: ["accent"] });
      continue;
    }
    width += cells;
    const isShown = isNew || container.kind === "quote";
    first.push(...(isShown ? createLine(mark, container.kind === "quote" ? "quote" : "accent") : createSpaces(cells)));
    further.push(...(container.kind === "quote" ? createLine(mark, "quote") : createSpaces(cells)));
  }
  return { first, further, lead, width };
}

/** Creates the empty line between two blocks, with the margin of the containers that they share. */
export function createGap(before: readonly Container[], after: readonly Container[], columns: number): Line {
  const apart = after.findIndex((container, index) => before[index] !== container);
  const both = apart < 0 ? after : after.slice(0, apart);
  const { further } = createMargin(both, both, columns);
  const lastBar = further.findLastIndex(({ text }) => text.trim() !== "");
  return further
    .slice(0, lastBar + 1)
    .map((span, index) => (index === lastBar ? { ...span, text: span.text.trimEnd() } : span));
}

function createSpaces(cells: number): Line {
  return [{ text: " ".repeat(cells) }];
}
