import type { Locale } from "../../../kit/locale.ts";
import type { CodeStyle } from "../../../render/code/highlight.ts";
import type { ReviewLine } from "../../../render/questions/review-lines.ts";

/** Finds the colours of code. It is loaded when a page first shows a block of code in a language that is named. */
export interface CodePart {
  /** Returns the text in pieces, or undefined for a language that is not known. */
  highlightText(language: string, text: string): Promise<readonly ColouredPiece[] | undefined>;
}

export interface ColouredPiece {
  readonly text: string;
  readonly style?: CodeStyle | undefined;
}

/** Writes formulas. It is loaded when a page first shows one. */
export interface MathPart {
  /** Returns the formula as MathML, or undefined for a text that is none. */
  render(tex: string, isBlock: boolean): Element | undefined;
}

/** Draws plots. It is loaded when the operator's view first shows one. */
export interface PlotPart {
  drawBars(place: HTMLElement, plot: BarPlot): DrawnPlot;
}

export interface BarPlot {
  /** Has a bar for each day, written as `2026-11-26`. */
  readonly days: readonly string[];
  /** Holds a value of each series for each day, the lowest part of the bars first. */
  readonly series: readonly (readonly number[])[];
  format(value: number): string;
  /** Is asked each time it is drawn, because the colours of the page may change. */
  getColour(series: number): string;
  getWordColour(): string;
  /** Runs with the number of the day that is pointed at. */
  onDay(day: number | undefined): void;
}

export interface DrawnPlot {
  redraw(): void;
  close(): void;
}

/** Shows what a call would change, as lines. It is loaded when a call first waits for consent. */
export interface ReviewPart {
  /** Returns undefined where the arguments are best shown as they are. */
  reviewCall(call: ReviewableCall, locale: Locale, isUnlimited: boolean): ShownReview | undefined;
}

interface ReviewableCall {
  readonly tool: string;
  readonly arguments: unknown;
}

export interface ShownReview {
  readonly lines: readonly ReviewLine[];
  /** Is true when nothing is left out. */
  readonly isWhole: boolean;
}
