import type { Locale } from "../../../kit/locale.ts";
import type { Line } from "../text/line.ts";
import type { CodePiece, Piece } from "./block.ts";
import { findLanguage, type Mode } from "./languages.ts";
import { blankLayout, type Layout, type LayoutContext, layOut } from "./lay-out.ts";
import { createLineReader } from "./line-reader.ts";
import type { MarkdownStream } from "./stream.ts";

export interface MarkdownOptions {
  /** Of the screen, as it is now, in cells. */
  columns(): number;
  /** The terminal shows links, so that an address is told only where the text could mislead. */
  readonly hyperlinks: boolean;
  /** English where none is told. */
  readonly locale?: Locale | undefined;
  /** Called when lines can be taken that had to wait for their colours. */
  changed?(): void;
}

/** Nothing that was given to `take` is looked at again; what is pending is bounded, whatever the text. */
export function createMarkdownStream(options: MarkdownOptions): MarkdownStream {
  const reader = createLineReader();
  const citations = new Map<number, string>();
  /** By what stands behind the fence; null where there are no colours. */
  const modes = new Map<string, Mode | null>();
  const loading = new Map<string, Promise<void>>();
  let layout: Layout = blankLayout;
  let waiting: Piece[] = [];
  /** How many lines were asked for at the last frame, and how many there were. */
  let frame = { rows: Number.POSITIVE_INFINITY, pending: 0 };
  /** What was pending, for as long as nothing changes. */
  let shown: { rows: number; columns: number; lines: Line[] } | undefined;

  function context(): LayoutContext {
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
    const here = context();
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

  function linesToCome(rows: number, here: LayoutContext): Line[] {
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
      const here = context();
      if (shown?.rows !== rows || shown.columns !== here.columns) {
        shown = { rows, columns: here.columns, lines: linesToCome(rows, here) };
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

/** In cells; nothing can be laid out in less. */
const narrowest = 10;

function isCode(piece: Piece): piece is CodePiece {
  return piece.kind === "code";
}
