import { sanitize } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import type { Line } from "./line.ts";

/**
 * Counts the cells that a text takes on the screen, with unprintable characters made visible. Ambiguous characters are narrow
 * (https://www.unicode.org/reports/tr11/).
 */
export function countCells(text: string): number {
  return countSimpleCells(text) ?? countShownCells(toDisplayedText(text));
}

/** Fills a text with spaces to this many cells; a longer one stays as it is. */
export function padCells(text: string, cells: number): string {
  return text + " ".repeat(Math.max(0, cells - countCells(text)));
}

export function countLineCells(line: Line): number {
  let cells = 0;
  for (const { text } of line) cells += countCells(text);
  return cells;
}

/** Splits a text into grapheme clusters, in order. Joined, they give the text again. */
export function splitGraphemes(text: string): string[] {
  if (isSimple(text)) return text.split("");
  const graphemes: string[] = [];
  visitCharacters(text, (start, end) => graphemes.push(text.slice(start, end)));
  return graphemes;
}

/** Counts the cells of one character of a displayed text. */
export function countCharacterCells(character: string): number {
  if (!canJoin(character)) return sumOfCells(character);
  if (emoji.test(character)) return 2;
  if (textEmoji.test(character)) return 1;
  // What a joiner joins on stands in the cells of what is before it, and so does the rest of a Hangul syllable.
  const [own = ""] = character.split("\u200d");
  const cells = sumOfCells(hangul.test(own) ? String.fromCodePoint(own.codePointAt(0) ?? 0) : own);
  // Else marks without an end would all stand in one row.
  return cells === 0 && isFull(character) ? 1 : cells;
}

function countShownCells(text: string): number {
  if (!canJoin(text)) return sumOfCells(text);
  let sum = 0;
  visitCharacters(text, (start, end, cells) => {
    sum += cells || countCharacterCells(text.slice(start, end));
  });
  return sum;
}

/** Counts the cells of characters that do not join. */
function sumOfCells(text: string): number {
  return text.replace(invisible, "").replace(wide, "ww").replace(astral, "n").length;
}

const invisible = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
const hangul = /^[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]/;

/** Matches flags, and characters that ask to be a picture or to have a skin colour. */
const emoji = /^\p{Regional_Indicator}|^[\p{Emoji}]\ufe0f|^\p{Emoji_Modifier_Base}\p{Emoji_Modifier}/u;

/** Matches emoji with a request for text presentation. */
const textEmoji = /^(?=[\0-\uffff])\p{Emoji_Presentation}\ufe0e/u;

/** Matches East Asian Wide and Fullwidth characters (https://www.unicode.org/Public/17.0.0/ucd/EastAsianWidth.txt). */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16ff6}\u{17000}-\u{18cff}\u{18d00}-\u{18d1e}\u{18d80}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/gu;
const astral = /[\u{10000}-\u{10ffff}]/gu;

const tab = "    ";

/**
 * Converts a text to its displayed form: a newline becomes a space, a tab becomes four (at any position, so that a text's width
 * does not depend on its place), and other unprintable characters are made visible. Displayed text is returned unchanged.
 */
export function toDisplayedText(text: string): string {
  if (isSimple(text)) return text;
  return sanitize(text.replace(/\r?\n/g, " ").replaceAll("\t", tab));
}

export function isPrintableAscii(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

/** Receives where a character begins and ends in a text, and its cells. These are 0 when they are not known yet. */
export type TakeCharacter = (start: number, end: number, cells: number) => void;

/** Calls `visit` for each grapheme cluster of a text, in order (https://www.unicode.org/reports/tr29/). */
export function visitCharacters(text: string, visit: TakeCharacter): void {
  let index = 0;

  function takeSimple(end: number): void {
    for (; index < end; index++) visit(index, index + 1, countUnitCells(text.charCodeAt(index)));
  }

  for (const { 0: part, index: start } of findComplexParts(text)) {
    takeSimple(start);
    for (const character of canJoin(part) ? splitJoinedCharacters(part) : part) {
      index += character.length;
      visit(index - character.length, index, 0);
    }
  }
  takeSimple(text.length);
}

/**
 * A simple unit is one UTF-16 unit that is a printable character by itself and joins with no other simple unit; most displayed
 * text consists of them. They need no Unicode table, which the engine is slow to look up.
 */

/**
 * Lists Latin, Cyrillic, quotes, mathematics, box drawing and braille, which take one cell; © and ® are missing because they may
 * be emoji.
 */
const narrow = String.raw`\x20-\x7e\xa0-\xa8\xaa-\xac\xaf-\u024f\u0400-\u0481\u1e00-\u1eff\u2013-\u2022\u2026\u2200-\u22ff\u2500-\u259f\u2801-\u28ff`;

/** Lists Chinese, Japanese and Hangul characters and their punctuation, which take two cells. */
const wideCharacters = String.raw`\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const narrowUnits = new RegExp(`[${narrow}]+`, "g");
const otherUnit = new RegExp(`[^${narrow}${wideCharacters}]`);
const others = `[^${narrow}${wideCharacters}]+`;
const simple = `[${narrow}${wideCharacters}]`;
const otherUnits = new RegExp(`${simple}?${others}(?:${simple}${others})*${simple}?`, "g");

/** Returns true when the text consists of simple units only; it is then displayed unchanged. */
function isSimple(text: string): boolean {
  return !otherUnit.test(text);
}

/** Counts the cells of a text; returns undefined when it contains other than simple units. */
export function countSimpleCells(text: string): number | undefined {
  if (!/[^\x20-\x7e]/.test(text)) return text.length;
  const rest = text.replace(narrowUnits, "");
  return otherUnit.test(rest) ? undefined : text.length + rest.length;
}

export function countUnitCells(unit: number): number {
  return unit < 0x3001 ? 1 : 2;
}

/** Finds the parts of a text that contain other units, each with the adjacent simple units that may join with them. */
export function findComplexParts(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(otherUnits);
}

/** Returns true when several code points of the text may form one character: marks, flags, skin colours, jamo. */
function canJoin(text: string): boolean {
  return joining.test(text);
}

/**
 * Splits a text whose code points may join into characters, in order, in linear time. A character of too many code points is
 * split into several, each as if the text began there.
 */
export function* splitJoinedCharacters(text: string): Generator<string> {
  let segmenter: Intl.Segmenter | undefined;

  function splitSegments(part: string): string[] {
    // It takes 40 ms to load and is slow: most texts do without.
    segmenter ??= new Intl.Segmenter();
    return Array.from(segmenter.segment(part), ({ segment }) => segment);
  }

  for (let start = 0; start < text.length; ) {
    const part = takeStart(text.slice(start, start + partUnits + 1), partUnits);
    const found = pictures.test(part) ? (part.match(picture) ?? []) : splitSegments(part);
    for (const character of takeSettled(found, start + part.length === text.length)) {
      start += character.length;
      yield character;
    }
  }
}

/** Returns true when a character has the maximum length, so that it may be a piece of an endless sequence. */
function isFull(character: string): boolean {
  return character.length >= mostPoints && Array.from(character).length >= mostPoints;
}

/**
 * Returns the characters up to the first that is too long, which is cut. Unless the text ends here, the last one is omitted
 * because it may continue in the next part.
 */
function takeSettled(found: readonly string[], isEnd: boolean): readonly string[] {
  const full = found.findIndex(isFull);
  if (full < 0) return isEnd ? found : found.slice(0, -1);
  return [
    ...found.slice(0, full),
    Array.from(found[full] ?? "")
      .slice(0, mostPoints)
      .join(""),
  ];
}

/** Limits the code points of one character; the longest emoji in use have ten. */
const mostPoints = 32;

/** Sets how many UTF-16 units are examined together; one character has fewer. */
const partUnits = 128;

const joins = String.raw`\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\r\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f`;
const joining = new RegExp(`[${joins}]`, "u");

/**
 * Matches an emoji, also a joined sequence, or a character that joins with nothing: these are most of what is found among simple
 * units.
 */
const one = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*`;
const picture = new RegExp(String.raw`${one}(?:\u200d${one})*|[^\p{Extended_Pictographic}${joins}]`, "gu");
const pictures = new RegExp(`^(?:${picture.source})+$`, "u");
