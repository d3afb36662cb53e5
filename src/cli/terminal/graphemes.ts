import type { Line, Span } from "./line.ts";
import { shown } from "./shown.ts";
import { cellsOf, graphemesOf } from "./width.ts";

/** One character as a person sees it, of a line. */
export interface Grapheme {
  /** As it is shown. */
  readonly text: string;
  readonly cells: number;
  readonly span: Span;
}

/** The characters of a line as they are shown. */
export function spread(line: Line): Grapheme[] {
  return line.flatMap((span) => graphemesOf(shown(span.text)).map((text) => ({ text, cells: cellsOf(text), span })));
}

/** A line of these characters, neighbours of one span together. */
export function gather(graphemes: readonly Grapheme[]): Line {
  const spans: Span[] = [];
  let text = "";
  graphemes.forEach(({ text: more, span }, index) => {
    text += more;
    if (graphemes[index + 1]?.span === span) return;
    spans.push({ ...span, text });
    text = "";
  });
  return spans;
}
