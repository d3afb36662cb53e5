import type { Align, Container, Leaf, Piece, TextPiece } from "./block.ts";
import { createInlineLexer } from "./inline-lexer.ts";

/** What a line changes while it is read. */
export interface Draft {
  path: readonly Container[];
  leaf: Leaf | undefined;
  blank: boolean;
  readonly pieces: Piece[];
}

type Paragraph = Extract<Leaf, { kind: "paragraph" }>;

type Table = Extract<Leaf, { kind: "table" }>;

/** In characters; a paragraph that is longer is finished in parts, so that no more than this is ever looked at again. */
const longestParagraph = 1000;

/** Rows after which the widths of a table's columns are settled, and each further row is finished as it comes. */
const settledAfter = 60;

export function closeLeaf(draft: Draft): void {
  const { leaf, path } = draft;
  draft.leaf = undefined;
  if (leaf?.kind === "paragraph") appendText(draft, leaf, "paragraph", leaf.source);
  if (leaf?.kind === "table") draft.pieces.push({ ...leaf, path, first: !leaf.begun, last: true });
  if (leaf?.kind !== "fence" || leaf.begun) return;
  const { info, spaced } = leaf;
  draft.pieces.push({ kind: "code", path, first: true, spaced, info, text: undefined, joins: false, continues: false });
}

/** The last part of a text, or all of it. */
export function appendText(
  draft: Draft,
  { spaced, begun }: Pick<Paragraph, "spaced" | "begun">,
  look: TextPiece["look"],
  source: string,
): void {
  const at = { path: draft.path, first: !begun, spaced };
  draft.pieces.push({ kind: "text", look, ...at, source: source.trimEnd(), joins: begun, continues: false });
}

export function growParagraph(draft: Draft, leaf: Paragraph, source: string): void {
  draft.leaf = { ...leaf, source };
  while (draft.leaf.kind === "paragraph" && draft.leaf.source.length > longestParagraph)
    cutParagraph(draft, draft.leaf, longestParagraph);
}

/** Finishes what stands in the first so many characters, up to a place where the text can be cut. */
export function cutParagraph(draft: Draft, leaf: Paragraph, length: number): void {
  const cut = splitParagraph(leaf.source.slice(0, length));
  const { spaced, begun } = leaf;
  const source = leaf.source.slice(0, cut);
  const at = { path: draft.path, first: !begun, spaced };
  draft.pieces.push({ kind: "text", look: "paragraph", ...at, source, joins: begun, continues: true });
  draft.leaf = { ...leaf, source: leaf.source.slice(cut), begun: true };
}

/** Whether the line makes the last line of the paragraph the header of a table. */
export function startTable(draft: Draft, leaf: Paragraph, line: string): boolean {
  if (!line.includes("|")) return false;
  const newline = leaf.source.lastIndexOf("\n");
  if (leaf.begun && newline < 0) return false;
  const head = leaf.source.slice(newline + 1);
  const header = splitRow(head);
  const aligns = head.includes("|") ? readAligns(line, header) : undefined;
  if (!aligns) return false;
  if (newline >= 0) appendText(draft, leaf, "paragraph", leaf.source.slice(0, newline));
  const spaced = newline < 0 && leaf.spaced;
  draft.leaf = { kind: "table", spaced, begun: false, header, aligns, rows: [] };
  return true;
}

export function growTable(draft: Draft, leaf: Table, line: string): void {
  const rows = [...leaf.rows, fitRow(splitRow(line), leaf.header.length)];
  draft.leaf = { ...leaf, rows };
  if (leaf.begun || rows.length >= settledAfter) finishTable(draft, { ...leaf, rows });
}

/** Finishes the rows so far; the widths of the columns stay from here on. */
export function finishTable(draft: Draft, leaf: Table): void {
  draft.pieces.push({ ...leaf, path: draft.path, first: !leaf.begun, last: false });
  draft.leaf = { ...leaf, begun: true, rows: [] };
}

/**
 * Where a long text can be cut so that both parts read the same: at a space or a line end that stands in no emphasis, link
 * or code, before what may still become one. Its length where there is no such place.
 */
export function splitParagraph(source: string): number {
  let end = 0;
  let best = 0;
  for (const token of createInlineLexer().inlineTokens(source)) {
    const start = end;
    end += token.raw.length;
    if (token.type !== "text") continue;
    const opener = token.raw.search(/[*_~`[<!]/);
    const cut = lastBreak(opener < 0 ? token.raw : token.raw.slice(0, opener));
    if (cut >= 0 && start + cut > 0) best = start + cut;
    // What comes after an opener may belong to it, unless nothing of use came before.
    if (opener >= 0 && best >= source.length / 4) return best;
  }
  return best >= source.length / 4 ? best : lastCut(source);
}

/** The cut stands before the white space, so that it is not lost at the end of a part. */
function lastBreak(text: string): number {
  const space = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"));
  const [stop] = /[。！？；，、](?=[^。！？；，、]*$)/.exec(text) ?? [];
  return stop === undefined ? space : Math.max(space, text.lastIndexOf(stop) + 1);
}

function lastCut(source: string): number {
  const cut = lastBreak(source);
  if (cut >= source.length / 4) return cut;
  return /[\ud800-\udbff]$/.test(source) ? source.length - 1 : source.length;
}

/** The cells of a line; a `|` behind a backslash is text. */
function splitRow(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  for (const part of line.trim().split(/(\\\||\|)/)) {
    if (part === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += part === "\\|" ? "|" : part;
  }
  cells.push(cell.trim());
  if (cells.length > 1 && cells[0] === "") cells.shift();
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  return cells;
}

/** The line under the header; undefined when it is none, or one for another number of columns. */
export function readAligns(line: string, header: readonly string[]): Align[] | undefined {
  if (!line.includes("|") || !line.includes("-")) return undefined;
  const cells = splitRow(line);
  if (cells.length !== header.length || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}

/** As many cells as there are columns; what is too much stays in the last one. */
export function fitRow(cells: readonly string[], columns: number): string[] {
  if (cells.length > columns) return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
  return [...cells, ...Array.from({ length: columns - cells.length }, () => "")];
}
