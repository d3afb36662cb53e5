import { countCharacterCells, type Line, type Span, toDisplayedText, visitCharacters } from "./width.ts";

/** The characters of a line, as a person sees them and as they are shown. */
export interface Characters {
  /** All of them. */
  readonly text: string;
  /** Where each begins in the text; where the last one ends is the text's length. */
  readonly starts: readonly number[];
  readonly cells: readonly number[];
  readonly spans: readonly Span[];
}

/** Spreads a line; a character never spans two of its spans. */
export function splitCharacters(line: Line): Characters {
  const spans = toDisplayedLine(line);
  const starts: number[] = [];
  const cells: number[] = [];
  let text = "";
  for (const span of spans) {
    const before = text.length;
    visitCharacters(span.text, (start, end, known) => {
      starts.push(before + start);
      cells.push(known || countCharacterCells(span.text.slice(start, end)));
    });
    text += span.text;
  }
  return { text, starts, cells, spans };
}

/** In UTF-16 units. */
export function getLength({ text, starts }: Characters, index: number): number {
  return (starts[index + 1] ?? text.length) - (starts[index] ?? text.length);
}

/** One that carries a mark is none. */
export function isSpace(characters: Characters, index: number): boolean {
  return characters.text.charCodeAt(characters.starts[index] ?? 0) === 0x20 && getLength(characters, index) === 1;
}

/** The part of a line from a character up to another, in the looks of its spans. */
export function joinCharacters({ text, starts, spans }: Characters, from: number, to: number): Line {
  const [start = text.length, end = text.length] = [starts[from], starts[to]];
  const parts: Span[] = [];
  let at = 0;
  for (const span of spans) {
    const [first, last] = [Math.max(0, start - at), Math.min(span.text.length, end - at)];
    at += span.text.length;
    if (last > first) parts.push({ ...span, text: span.text.slice(first, last) });
    if (at >= end) break;
  }
  return parts;
}

/** The line as it is shown; itself where it is so already. */
export function toDisplayedLine(line: Line): Line {
  const isShown = line.every(({ text }) => toDisplayedText(text) === text);
  return isShown ? line : line.map((span) => ({ ...span, text: toDisplayedText(span.text) }));
}
