import { createLexer } from "../../../render/markdown/lexer.ts";
import type { Align, Container, Leaf, Piece, TextPiece } from "./block.ts";

/** Holds the state that reading a line changes. */
export interface Draft {
  path: readonly Container[];
  leaf: Leaf | undefined;
  blank: boolean;
  readonly pieces: Piece[];
}

type Paragraph = Extract<Leaf, { kind: "paragraph" }>;

type Table = Extract<Leaf, { kind: "table" }>;

/** Limits a paragraph, in characters; a longer one is finished in parts, so that no more than this is ever read again. */
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

/** Appends the last part of a text, or all of it. */
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

/** Starts a table when the line makes the paragraph's last line its header; returns true in that case. */
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
 * Finds where a long text can be cut so that both parts read the same: at a space or line end outside any emphasis, link or
 * code, and before anything that may still become one. Returns its length when there is no such place.
 */
export function splitParagraph(source: string): number {
  let end = 0;
  let best = 0;
  for (const token of createLexer().inlineTokens(source)) {
    const start = end;
    end += token.raw.length;
    if (token.type !== "text") continue;
    const opener = token.raw.search(/[*_~`[<!]/);
    const cut = findLastBreak(opener < 0 ? token.raw : token.raw.slice(0, opener));
    if (cut >= 0 && start + cut > 0) best = start + cut;
    // What comes after an opener may belong to it, unless nothing of use came before.
    if (opener >= 0 && best >= source.length / 4) return best;
  }
  return best >= source.length / 4 ? best : findLastCut(source);
}

/** Returns the last possible break. The cut is before the white space, so that the end of a part does not lose it. */
function findLastBreak(text: string): number {
  const space = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"));
  const [stop] = /[。！？；，、](?=[^。！？；，、]*$)/.exec(text) ?? [];
  return stop === undefined ? space : Math.max(space, text.lastIndexOf(stop) + 1);
}

function findLastCut(source: string): number {
  const cut = findLastBreak(source);
  if (cut >= source.length / 4) return cut;
  return /[\ud800-\udbff]$/.test(source) ? source.length - 1 : source.length;
}

/** Splits a line into cells; a `|` behind a backslash is text. */
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

/** Reads the line under the header; returns undefined when it is no such line, or has another number of columns. */
export function readAligns(line: string, header: readonly string[]): Align[] | undefined {
  if (!line.includes("|") || !line.includes("-")) return undefined;
  const cells = splitRow(line);
  if (cells.length !== header.length || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}

/** Fits a row to the number of columns: surplus cells are joined into the last one, and missing ones are empty. */
export function fitRow(cells: readonly string[], columns: number): string[] {
  if (cells.length > columns) return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
  return [...cells, ...Array.from({ length: columns - cells.length }, () => "")];
}
