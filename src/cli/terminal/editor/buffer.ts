import { splitGraphemes } from "../text/width.ts";

/** Holds a text and the cursor, an index between two grapheme clusters. */
export interface TextBuffer {
  readonly text: string;
  readonly cursor: number;
}

/** Limits the typed text, in UTF-16 units; an insertion that would exceed the limit is rejected. */
export const mostTyped = 1_000_000;

export const emptyBuffer: TextBuffer = { text: "", cursor: 0 };

/** Creates a buffer with the cursor at the end of the text. */
export function createBuffer(text: string): TextBuffer {
  return { text, cursor: text.length };
}

/** Puts text in place of what stands between an index and the cursor; by default at the cursor. */
export function insert({ text, cursor }: TextBuffer, inserted: string, from = cursor): TextBuffer {
  const before = text.slice(0, from) + inserted;
  return { text: before + text.slice(cursor), cursor: before.length };
}

/** Takes out what stands between the cursor and an index on either side of it. */
export function removeTo({ text, cursor }: TextBuffer, index: number): TextBuffer {
  const [start, end] = index < cursor ? [index, cursor] : [cursor, index];
  return { text: text.slice(0, start) + text.slice(end), cursor: start };
}

export function moveTo({ text }: TextBuffer, index: number): TextBuffer {
  return { text, cursor: Math.max(0, Math.min(text.length, index)) };
}

/** Returns the index one grapheme cluster before the cursor. */
export function findPrevious({ text, cursor }: TextBuffer): number {
  if (isPlain(text, cursor - 1) && isPlain(text, cursor - 2)) return cursor - 1;
  const start = Math.max(findLineStart({ text, cursor }), cursor - context);
  if (start === cursor) return Math.max(0, cursor - 1);
  return cursor - (splitGraphemes(text.slice(start, cursor)).at(-1)?.length ?? 0);
}

/** Returns the index one grapheme cluster after the cursor. */
export function findNext({ text, cursor }: TextBuffer): number {
  if (isPlain(text, cursor) && isPlain(text, cursor + 1)) return cursor + 1;
  return cursor + (splitGraphemes(text.slice(cursor, cursor + context))[0]?.length ?? 0);
}

export function findLineStart({ text, cursor }: TextBuffer): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
}

/** Returns the index at which the cursor's line ends, before the line end. */
export function findLineEnd({ text, cursor }: TextBuffer): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/** Returns true for printable ASCII or no character at all, which cannot be part of a longer cluster. */
function isPlain(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return Number.isNaN(code) || (code >= 0x20 && code < 0x7f);
}

/** Limits the search for a grapheme cluster, in UTF-16 units. */
const context = 200;

/** Returns the start of the word before the cursor; Chinese words are found with the segmenter's dictionary. */
export function findWordStart({ text, cursor }: TextBuffer): number {
  const start = Math.max(0, cursor - wordContext);
  const word = splitWords(text.slice(start, cursor)).at(-1);
  return start + (word?.start ?? 0);
}

export function findWordEnd({ text, cursor }: TextBuffer): number {
  const part = text.slice(cursor, cursor + wordContext);
  return cursor + (splitWords(part)[0]?.end ?? part.length);
}

/** Returns the start of the text without spaces before the cursor. */
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

function splitWords(text: string): Word[] {
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

/** Limits the search for a word, in UTF-16 units. */
const wordContext = 1_000;
