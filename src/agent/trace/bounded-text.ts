import { takeStart } from "../../kit/text/truncate.ts";

/** A text and how many of its characters were left out at its end. */
export interface BoundedText {
  text: string;
  leftOut: number;
}

/** The first `longest` characters. */
export function toBoundedText(text: string, longest: number): BoundedText {
  const kept = takeStart(text, longest);
  return { text: kept, leftOut: text.length - kept.length };
}

/** What a model thinks, as it grows. Beyond `longest` characters only the length is kept. */
export interface TextAccumulator {
  /** Words of another kind begin a new line. */
  push(kind: string, piece: string): void;
  /** Gives the text so far and begins anew. */
  take(): BoundedText;
}

export function createTextAccumulator(longest: number): TextAccumulator {
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
      const kept = toBoundedText(text, longest);
      const all = { text: kept.text.trim(), leftOut: kept.leftOut + leftOut };
      text = "";
      leftOut = 0;
      return all;
    },
  };
}
