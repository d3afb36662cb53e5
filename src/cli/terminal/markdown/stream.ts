import type { Citation } from "../../../core/outcome.ts";
import type { Line } from "../text/width.ts";

/** Markdown that comes in pieces, as lines of a screen. However it is split, the lines are the same. */
export interface MarkdownStream {
  /** Takes a piece, and the citations whose number it shows first. */
  push(text: string, citations?: readonly Citation[]): void;
  /** The lines that are finished, each given once. */
  take(): Line[];
  /** How the rest looks now, in at most so many lines. */
  pending(rows: number): Line[];
  /** The rest, finished. */
  end(): Promise<Line[]>;
}
