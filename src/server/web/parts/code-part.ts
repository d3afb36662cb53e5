import { createState, highlight } from "../../../render/code/highlight.ts";
import { findLanguage } from "../../../render/code/languages.ts";
import type { CodePart, ColouredPiece } from "./part-shapes.ts";

/** Longer code, in characters, is not coloured: it would hold the page up. */
const longestCode = 100_000;

export const highlightText: CodePart["highlightText"] = async (language, text) => {
  const mode = await findLanguage(language)?.();
  if (mode === undefined || text.length > longestCode) return undefined;
  const pieces: ColouredPiece[] = [];
  let state = createState(mode);
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) pieces.push({ text: "\n" });
    const coloured = highlight(mode, state, line);
    state = coloured.state;
    pieces.push(...coloured.spans.map((piece) => ({ text: piece.text, style: piece.styles?.[0] })));
  }
  return pieces;
};
