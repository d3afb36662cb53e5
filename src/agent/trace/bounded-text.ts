import { headOf } from "../../kit/text/truncate.ts";

/** A text and how many of its characters were left out at its end. */
export interface KeptText {
  text: string;
  leftOut: number;
}

/** The first `longest` characters. */
export function keepText(text: string, longest: number): KeptText {
  const kept = headOf(text, longest);
  return { text: kept, leftOut: text.length - kept.length };
}

/** What a model thinks, as it grows. Beyond `longest` characters only the length is kept. */
export interface GrowingText {
  /** Words of another kind begin a new line. */
  push(kind: string, piece: string): void;
  /** Gives the text so far and begins anew. */
  take(): KeptText;
}

export function growText(longest: number): GrowingText {
  let text = "";
  let leftOut = 0;
  let last = "";
  return {
    push(kind, piece) {
      if (text.length >= longest) leftOut += piece.length;
      else text += text !== "" && kind !== last ? `\n${piece}` : piece;
      last = kind;
    },
    take() {
      const kept = keepText(text, longest);
      const all = { text: kept.text.trim(), leftOut: kept.leftOut + leftOut };
      text = "";
      leftOut = 0;
      return all;
    },
  };
}
