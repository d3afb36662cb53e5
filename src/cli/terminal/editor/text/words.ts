import type { TextBuffer } from "./buffer.ts";

/** The index where the word before the cursor begins; Chinese words are those of its dictionary. */
export function findWordStart({ text, cursor }: TextBuffer): number {
  const start = Math.max(0, cursor - context);
  const word = wordsOf(text.slice(start, cursor)).at(-1);
  return start + (word?.start ?? 0);
}

/** The index where the word behind the cursor ends. */
export function findWordEnd({ text, cursor }: TextBuffer): number {
  const part = text.slice(cursor, cursor + context);
  return cursor + (wordsOf(part)[0]?.end ?? part.length);
}

/** The index where what stands before the cursor without a space in it begins. */
export function findBlankBefore({ text, cursor }: TextBuffer): number {
  let start = cursor;
  while (start > 0 && isBlank(text, start - 1)) start--;
  while (start > 0 && !isBlank(text, start - 1)) start--;
  return start;
}

interface Word {
  readonly start: number;
  readonly end: number;
}

function wordsOf(text: string): Word[] {
  if (/^[\x00-\x7f]*$/.test(text)) {
    return Array.from(text.matchAll(/\w+/g), ({ 0: word, index }) => ({ start: index, end: index + word.length }));
  }
  const segments = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
  return Array.from(segments)
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ start: index, end: index + segment.length }));
}

function isBlank(text: string, index: number): boolean {
  return /\s/.test(text.charAt(index));
}

/** UTF-16 units in which a word is looked for. */
const context = 1_000;
