import type { Line } from "../text/line.ts";

/** Counts cells and lines. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Holds the lines at the bottom of the screen that may change; none of them is wider than the screen. */
export interface Live {
  readonly lines: readonly Line[];
  /** Holds the cursor's row and column, from 0, in cells; the cursor is hidden when absent. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** Covers the finished lines from one point on. */
export interface ReplaceableLines {
  readonly lines: readonly Line[];
  /**
   * Puts other lines in the place of some. False, and nothing changes, where all of these have scrolled off the screen, or
   * where the terminal's size has changed since, so that nobody knows where they stand. Of lines that have scrolled off in part
   * those above the screen stay as they are.
   */
  replace(from: number, to: number, lines: readonly Line[]): boolean;
}

/** Writes finished lines once, and redraws the live ones below them. */
export interface Screen {
  readonly size: Size;
  /** Writes finished lines above what is live; only `ReplaceableLines` change them later. A line that is too wide is wrapped. */
  write(lines: readonly Line[]): void;
  /**
   * Lets lines written from here on be replaced while they are on the screen (see `ReplaceableLines`). Only the newest
   * of them can be changed. Absent when written lines are never changed.
   */
  openReplaceableLines?(): ReplaceableLines;
  /** Asks for a frame; there are at most 20 a second. */
  refresh(): void;
  /** Draws a frame at once, as for a key. */
  refreshNow(): void;
}
