import type { Citation } from "../../../core/outcome.ts";
import type { Line } from "../text/line.ts";

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
