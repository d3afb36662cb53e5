import type { Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { wrapLine } from "../../terminal/text/wrap.ts";

/** Shows text that may still turn out to be a thought, until it is known what it is. */
export interface DraftView {
  readonly text: string;
  /** Returns true for the first words. */
  push(text: string): boolean;
  clear(): void;
  live(rows: number): Line[];
}

/** Stands where an answer would, a blank line above it, and dim, because it may go away. */
export function createDraftView({ size }: Pick<Screen, "size">): DraftView {
  let text = "";
  return {
    get text() {
      return text;
    },
    push(piece) {
      const wasBlank = text.trim() === "";
      text += piece;
      return wasBlank && text.trim() !== "";
    },
    clear() {
      text = "";
    },
    live(rows) {
      if (text.trim() === "" || rows < 2) return [];
      const lines = text.trim().split(/\r?\n/);
      const wrapped = lines.flatMap((line) => wrapLine(createLine(line, "dim"), size.columns));
      return [[], ...wrapped.slice(1 - rows)];
    },
  };
}
