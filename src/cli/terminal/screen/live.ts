import type { Line } from "../text/line.ts";

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

/** Finished lines from one point on. */
export interface ReplaceableLines {
  /** What was written so far. */
  readonly lines: readonly Line[];
  /**
   * Puts other lines in the place of some. False, and nothing changes, where all of these have scrolled off the screen, or
   * where the terminal's size has changed since, so that nobody knows where they stand. Of lines that have scrolled off in part
   * those above the screen stay as they are.
   */
  replace(from: number, to: number, lines: readonly Line[]): boolean;
}

/** Where finished lines go, once, and what is below them is drawn anew. */
export interface Screen {
  readonly size: Size;
  /** Writes finished lines above what is live; they are touched again only by a passage. A line that is too wide is wrapped. */
  write(lines: readonly Line[]): void;
  /**
   * Lines that are written from here on can be replaced, as long as they stand on the screen: see `Passage`. Only the newest
   * passage can. Absent where what is written is never touched again.
   */
  beginPassage?(): ReplaceableLines;
  /** Asks for a frame; there are at most 20 a second. */
  refresh(): void;
  /** Draws a frame at once, as for a key. */
  refreshNow(): void;
}
