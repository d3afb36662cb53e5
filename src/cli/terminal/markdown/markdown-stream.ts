import type { Citation } from "../../../core/run/outcome.ts";
import type { Locale } from "../../../kit/locale.ts";
import { findLanguage, type Mode } from "../../../render/code/languages.ts";
import { closeInline } from "../../../render/markdown/close-open.ts";
import type { Line } from "../text/line.ts";
import type { CodePiece, Leaf, Piece } from "./block.ts";
import { blankLayout, type Layout, type LayoutContext, layOut } from "./lay-out.ts";
import { cutParagraph, type Draft, finishTable } from "./open-leaf.ts";
import { type Blocks, closeBlocks, noBlocks, readLine } from "./read-blocks.ts";

/** Converts streamed Markdown into screen lines. The lines do not depend on how the text is split. */
export interface MarkdownStream {
  /** Takes a piece, and the citations whose number it shows first. */
  push(text: string, citations?: readonly Citation[]): void;
  /** Returns the finished lines, each of them once. */
  take(): Line[];
  /** Renders the unfinished rest in at most `rows` lines. */
  pending(rows: number): Line[];
  /** Finishes the text and returns the remaining lines. */
  end(): Promise<Line[]>;
}

export interface MarkdownOptions {
  /** Returns the current width of the screen, in cells. */
  columns(): number;
  /** Is true when the terminal shows links; an address is then printed only where the text could mislead. */
  readonly hyperlinks: boolean;
  /** Defaults to English. */
  readonly locale?: Locale | undefined;
  /** Runs when lines that waited for their colours are ready. */
  changed?(): void;
}

/** Nothing that was given to `take` is looked at again; what is pending is bounded, whatever the text. */
export function createMarkdownStream(options: MarkdownOptions): MarkdownStream {
  const reader = createLineReader();
  const citations = new Map<number, string>();
  /** Caches modes by the text behind the fence; null means that there are no colours. */
  const modes = new Map<string, Mode | null>();
  const loading = new Map<string, Promise<void>>();
  let layout: Layout = blankLayout;
  let waiting: Piece[] = [];
  /** Holds how many lines the last frame asked for, and how many were pending. */
  let frame = { rows: Number.POSITIVE_INFINITY, pending: 0 };
  /** Caches the pending lines until something changes. */
  let shown: { rows: number; columns: number; lines: Line[] } | undefined;

  function createContext(): LayoutContext {
    const { hyperlinks, locale = "en" } = options;
    const columns = Math.max(narrowest, options.columns());
    return { columns, hyperlinks, locale, citations, modeOf: (info) => modes.get(info) ?? undefined };
  }

  function load(info: string): void {
    if (modes.has(info) || loading.has(info)) return;
    const language = findLanguage(info);
    if (!language) {
      modes.set(info, null);
      return;
    }
    const settle = (mode: Mode | null) => {
      shown = undefined;
      modes.set(info, mode);
      loading.delete(info);
      options.changed?.();
    };
    const loaded = language().then(settle, () => settle(null));
    loading.set(info, loaded);
  }

  function queue(pieces: readonly Piece[]): void {
    if (pieces.length > 0) shown = undefined;
    for (const piece of pieces) {
      if (piece.kind === "code") load(piece.info);
      waiting.push(piece);
    }
  }

  function takeReady(): Line[] {
    const lines: Line[] = [];
    const here = createContext();
    let count = 0;
    for (const piece of waiting) {
      if (isCode(piece) && !modes.has(piece.info)) break;
      const laid = layOut(layout, piece, here);
      layout = laid.layout;
      for (const line of laid.lines) lines.push(line);
      count++;
    }
    if (count > 0) shown = undefined;
    waiting = waiting.slice(count);
    return lines;
  }

  function layOutPending(rows: number, here: LayoutContext): Line[] {
    const lines: Line[] = [];
    let current = layout;
    for (const piece of [...waiting.slice(-rows), ...reader.peek()]) {
      const laid = layOut(current, piece, here);
      current = laid.layout;
      for (const line of laid.lines) lines.push(line);
    }
    return lines;
  }

  return {
    push(text, more = []) {
      shown = undefined;
      for (const { n, url } of more) citations.set(n, url);
      queue(reader.push(text));
    },
    take() {
      // What is higher than the screen has to be settled, or it could not be shown whole.
      if (frame.pending > frame.rows) queue(reader.settle());
      frame = { ...frame, pending: 0 };
      return takeReady();
    },
    pending(rows) {
      if (rows < 1) return [];
      const here = createContext();
      if (shown?.rows !== rows || shown.columns !== here.columns) {
        shown = { rows, columns: here.columns, lines: layOutPending(rows, here) };
      }
      frame = { rows, pending: shown.lines.length };
      return shown.lines.slice(-rows);
    },
    async end() {
      queue(reader.end());
      await Promise.all(loading.values());
      return takeReady();
    },
  };
}

/** Is the minimum layout width, in cells. */
const narrowest = 10;

function isCode(piece: Piece): piece is CodePiece {
  return piece.kind === "code";
}

/** Reads blocks from text that comes in pieces; gives what is finished. */
export interface LineReader {
  push(text: string): readonly Piece[];
  /** Returns what the rest would be if nothing followed it. */
  peek(): readonly Piece[];
  /** Finishes as much as can be of what is open. */
  settle(): readonly Piece[];
  end(): readonly Piece[];
}

/** Limits a line, in characters; a longer one is read in parts. */
const longestPart = 2000;

/** A line of this many characters cannot become another kind of block any more. */
const certain = 200;

/** A table needs this many rows before the widths of its columns can be chosen. */
const rowsForWidths = 3;

export function createLineReader(): LineReader {
  let blocks: Blocks = noBlocks;
  /** Holds the unfinished line, without the parts already read. */
  let line = "";
  let joins = false;

  function read(text: string, continues: boolean): readonly Piece[] {
    const result = readLine(blocks, text, { joins, continues });
    blocks = result.blocks;
    joins = continues;
    return result.pieces;
  }

  function push(text: string): readonly Piece[] {
    const pieces: Piece[] = [];
    line += text;
    let start = 0;
    for (let end = line.indexOf("\n"); end >= 0; end = line.indexOf("\n", start)) {
      start = readParts(start, end, pieces);
      for (const piece of read(line.slice(start, line[end - 1] === "\r" ? end - 1 : end), false)) pieces.push(piece);
      start = end + 1;
    }
    line = line.slice(readParts(start, line.length, pieces));
    return pieces;
  }

  /** Reads the parts of a line that is too long; tells where the rest begins. */
  function readParts(start: number, end: number, pieces: Piece[]): number {
    let from = start;
    while (end - from > longestPart) {
      const high = /[\ud800-\udbff]/.test(line.charAt(from + longestPart - 1));
      const to = from + longestPart - (high ? 1 : 0);
      for (const piece of read(line.slice(from, to), true)) pieces.push(piece);
      from = to;
    }
    return from;
  }

  function peek(): readonly Piece[] {
    const text = line.replace(/\r$/, "");
    if (!joins && (text === "" || isMark.test(text)))
      return closeBlocks(blocks).flatMap((piece) => closePiece(piece, "\n"));
    const { blocks: after, pieces } = readLine(blocks, text, { joins, continues: false });
    const open = [...pieces, ...closeBlocks(after)];
    const last = open.pop();
    return last === undefined ? open : [...open, ...closePiece(last, "")];
  }

  return {
    push,
    peek,
    settle() {
      const pieces: Piece[] = [];
      if (joins || line.length > certain) {
        const high = /[\ud800-\udbff\r]$/.test(line) ? 1 : 0;
        pieces.push(...read(line.slice(0, line.length - high), true));
        line = line.slice(line.length - high);
      }
      const draft: Draft = { ...blocks, pieces };
      if (draft.leaf?.kind === "paragraph") settleParagraph(draft, draft.leaf);
      else if (draft.leaf?.kind === "table" && draft.leaf.rows.length >= rowsForWidths) finishTable(draft, draft.leaf);
      blocks = { path: draft.path, leaf: draft.leaf, blank: draft.blank };
      return pieces;
    },
    end() {
      const pieces = line === "" && !joins ? [] : [...read(line.replace(/\r$/, ""), false)];
      line = "";
      pieces.push(...closeBlocks(blocks));
      blocks = noBlocks;
      return pieces;
    },
  };
}

/**
 * Completes the marks at the end of a piece that is still being written and ends in `end`; returns nothing where it has only
 * marks.
 */
function closePiece(piece: Piece, end: string): Piece[] {
  if (piece.kind !== "text" || piece.look === "verbatim") return [piece];
  const source = closeInline(piece.source + end).trimEnd();
  return source === "" ? [] : [{ ...piece, source }];
}

/** The last line stays open where it is short: it may be the header of a table. */
function settleParagraph(draft: Draft, leaf: Extract<Leaf, { kind: "paragraph" }>): void {
  const newline = leaf.source.lastIndexOf("\n");
  const length = leaf.source.length - newline > certain ? leaf.source.length : newline;
  if (length > 0) cutParagraph(draft, leaf, length);
}

/** Marks that may yet become anything are not shown before what follows them. */
const isMark = /^\s*(?:[-=*_+#`~>|:\s]+|\d{1,9}[.)]?)\s*$/;
