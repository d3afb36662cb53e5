import type { Line, Span } from "./line.ts";
import { countCharacterCells, toDisplayedText, visitCharacters } from "./width.ts";

/** Holds the characters of a line (grapheme clusters) as they are displayed. */
export interface Characters {
  readonly text: string;
  /** Holds the index at which each character begins; the last character ends at the text's length. */
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

/** Counts UTF-16 units. */
export function getLength({ text, starts }: Characters, index: number): number {
  return (starts[index + 1] ?? text.length) - (starts[index] ?? text.length);
}

/** Returns false for a space that carries a combining mark. */
export function isSpace(characters: Characters, index: number): boolean {
  return characters.text.charCodeAt(characters.starts[index] ?? 0) === 0x20 && getLength(characters, index) === 1;
}

/** Returns the part of a line from one character up to another, with the styles of its spans. */
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

/** Returns the line as it is displayed, and the same object when nothing changes. */
export function toDisplayedLine(line: Line): Line {
  const isShown = line.every(({ text }) => toDisplayedText(text) === text);
  return isShown ? line : line.map((span) => ({ ...span, text: toDisplayedText(span.text) }));
}
