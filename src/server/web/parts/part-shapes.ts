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
