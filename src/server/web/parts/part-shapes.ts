import type { CodeStyle } from "../../../render/code/highlight.ts";

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
  /** Are written as `2026-11-26`, each with a bar. */
  readonly days: readonly string[];
  /** Hold a value for each day, the lowest part of the bars first. */
  readonly series: readonly (readonly number[])[];
  format(value: number): string;
  /** Are asked each time it is drawn, because the colours of the page may change. */
  getColour(series: number): string;
  getWordColour(): string;
  /** Runs with the number of the day that is pointed at. */
  onDay(day: number | undefined): void;
}

export interface DrawnPlot {
  redraw(): void;
  close(): void;
}
