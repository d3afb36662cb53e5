import type { Size } from "./live.ts";

/** A row of what is live, as the terminal has it. */
export interface DrawnRow {
  readonly painted: string;
  readonly text: string;
  readonly cells: number;
}

/** What the terminal shows below the finished lines. */
export interface Drawn {
  readonly rows: readonly DrawnRow[];
  /** Where the terminal's cursor is; a hidden one is in the first cell. */
  readonly cursor: { readonly row: number; readonly column: number };
  readonly isCursorShown: boolean;
  readonly size: Size;
}

/** A screen on which nothing is live: the cursor is at the start of an empty row. */
export function createEmptyDrawn(size: Size): Drawn {
  return { rows: [{ painted: "", text: "", cells: 0 }], cursor: { row: 0, column: 0 }, isCursorShown: true, size };
}
