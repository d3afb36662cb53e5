import type { Leaf, Piece } from "./block.ts";
import { cutParagraph, type Draft, finishTable } from "./open-leaf.ts";
import { type Blocks, closeBlocks, noBlocks, readLine } from "./read-blocks.ts";

/** Reads blocks from text that comes in pieces; gives what is finished. */
export interface LineReader {
  push(text: string): readonly Piece[];
  /** What the rest would be if nothing came after it. */
  peek(): readonly Piece[];
  /** Finishes as much as can be of what is open. */
  settle(): readonly Piece[];
  end(): readonly Piece[];
}

/** In characters; a line that is longer is read in parts. */
const longestPart = 2000;

/** A line that is this long does not turn into another block any more. */
const certain = 200;

/** From fewer rows, nothing can be said about the widths of a table's columns. */
const rowsForWidths = 3;

export function createLineReader(): LineReader {
  let blocks: Blocks = noBlocks;
  /** The line that has not ended yet, without the parts that were read. */
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
    if (!joins && (text === "" || isMark.test(text))) return closeBlocks(blocks);
    const { blocks: after, pieces } = readLine(blocks, text, { joins, continues: false });
    return [...pieces, ...closeBlocks(after)];
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

/** The last line stays open where it is short: it may be the header of a table. */
function settleParagraph(draft: Draft, leaf: Extract<Leaf, { kind: "paragraph" }>): void {
  const newline = leaf.source.lastIndexOf("\n");
  const length = leaf.source.length - newline > certain ? leaf.source.length : newline;
  if (length > 0) cutParagraph(draft, leaf, length);
}

/** Marks that may yet become anything are not shown before what follows them. */
const isMark = /^\s*(?:[-=*_+#`~>|:\s]+|\d{1,9}[.)]?)\s*$/;
