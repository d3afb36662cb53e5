import type { Line } from "./line.ts";

/** In cells and lines. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What stands at the bottom of the screen and may change: none of its lines is wider than the screen. */
export interface Live {
  readonly lines: readonly Line[];
  /** Where the cursor stands, from 0 on, in cells; none hides it. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** Where finished lines go, once, and what is below them is drawn anew. */
export interface Screen {
  readonly size: Size;
  /** Writes finished lines above what is live; they are never touched again. A line that is too wide is wrapped. */
  write(lines: readonly Line[]): void;
  /** Asks for a frame; there are at most 20 a second. */
  refresh(): void;
  /** Draws a frame at once, as for a key. */
  refreshNow(): void;
}
