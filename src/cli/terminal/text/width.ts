import { sanitize, takeStart } from "../../../kit/text/sanitize.ts";

/**
 * The cells that a text takes on the screen once it is painted, what it holds of unprintable characters made visible.
 * Ambiguous characters are narrow (https://www.unicode.org/reports/tr11/).
 */
export function countCells(text: string): number {
  return countSimpleCells(text) ?? cellsOfShown(toDisplayedText(text));
}

export function countLineCells(line: Line): number {
  let cells = 0;
  for (const { text } of line) cells += countCells(text);
  return cells;
}

/** What a person sees as one character each, in order. Joined they are the text. */
export function splitGraphemes(text: string): string[] {
  if (isSimple(text)) return text.split("");
  const graphemes: string[] = [];
  visitCharacters(text, (start, end) => graphemes.push(text.slice(start, end)));
  return graphemes;
}

/** Of one character, of a text that is shown. */
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

function cellsOfShown(text: string): number {
  if (!canJoin(text)) return sumOfCells(text);
  let sum = 0;
  visitCharacters(text, (start, end, cells) => {
    sum += cells || countCharacterCells(text.slice(start, end));
  });
  return sum;
}

/** Of characters that do not join. */
function sumOfCells(text: string): number {
  return text.replace(invisible, "").replace(wide, "ww").replace(astral, "n").length;
}

const invisible = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
const hangul = /^[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]/;

/** Flags, and characters that ask to be a picture or to have a skin colour. */
const emoji = /^\p{Regional_Indicator}|^[\p{Emoji}]\ufe0f|^\p{Emoji_Modifier_Base}\p{Emoji_Modifier}/u;

/** And those that ask not to. */
const textEmoji = /^(?=[\0-\uffff])\p{Emoji_Presentation}\ufe0e/u;

/** East Asian Wide and Fullwidth (https://www.unicode.org/Public/17.0.0/ucd/EastAsianWidth.txt). */
const wide =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16ff6}\u{17000}-\u{18cff}\u{18d00}-\u{18d1e}\u{18d80}-\u{18df2}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/gu;
const astral = /[\u{10000}-\u{10ffff}]/gu;

const tab = "    ";

/**
 * The text as it stands on the screen: a newline is a space, a tab is four (wherever it stands, so that a text's width
 * does not depend on its place), and all else that is not printable is made visible. Shown text is shown as it is.
 */
export function toDisplayedText(text: string): string {
  if (isSimple(text)) return text;
  return sanitize(text.replace(/\r?\n/g, " ").replaceAll("\t", tab));
}

export function isPrintableAscii(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

/** Takes a character of a text: where it begins and ends, and its cells where these are known already, else 0. */
export type TakeCharacter = (start: number, end: number, cells: number) => void;

/** Goes through what a person sees as one character each, in order (https://www.unicode.org/reports/tr29/). */
export function visitCharacters(text: string, take: TakeCharacter): void {
  let index = 0;

  function takeSimple(end: number): void {
    for (; index < end; index++) take(index, index + 1, countUnitCells(text.charCodeAt(index)));
  }

  for (const { 0: part, index: start } of findComplexParts(text)) {
    takeSimple(start);
    for (const character of canJoin(part) ? splitJoinedCharacters(part) : part) {
      index += character.length;
      take(index - character.length, index, 0);
    }
  }
  takeSimple(text.length);
}

/**
 * UTF-16 units that are a printable character by themselves and join with no other of them: most of what is shown. They need
 * no table of Unicode, which the engine is slow to look up.
 */

/** Latin, Cyrillic, quotes, mathematics, frames, braille; not © and ®, which may be pictures. In one cell. */
const narrow = String.raw`\x20-\x7e\xa0-\xa8\xaa-\xac\xaf-\u024f\u0400-\u0481\u1e00-\u1eff\u2013-\u2022\u2026\u2200-\u22ff\u2500-\u259f\u2801-\u28ff`;

/** Chinese, Japanese, Hangul and their marks. In two. */
const wideCharacters = String.raw`\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const narrowUnits = new RegExp(`[${narrow}]+`, "g");
const otherUnit = new RegExp(`[^${narrow}${wideCharacters}]`);
const others = `[^${narrow}${wideCharacters}]+`;
const simple = `[${narrow}${wideCharacters}]`;
const otherUnits = new RegExp(`${simple}?${others}(?:${simple}${others})*${simple}?`, "g");

/** Whether a text is made of them alone: then it is shown as it is. */
function isSimple(text: string): boolean {
  return !otherUnit.test(text);
}

/** The cells of a text; undefined where it is not made of them alone. */
export function countSimpleCells(text: string): number | undefined {
  if (!/[^\x20-\x7e]/.test(text)) return text.length;
  const rest = text.replace(narrowUnits, "");
  return otherUnit.test(rest) ? undefined : text.length + rest.length;
}

/** Of a unit that is one of them. */
export function countUnitCells(unit: number): number {
  return unit < 0x3001 ? 1 : 2;
}

/** The parts of a text that hold others, each with the neighbours of them that these may join with. */
export function findComplexParts(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(otherUnits);
}

/** How a piece of text looks; a theme says by which colours. */
export type Style =
  | "dim"
  | "strong"
  | "emphasis"
  | "strike"
  | "underline"
  | "inverse"
  | "heading"
  | "accent"
  | "good"
  | "bad"
  | "warn"
  | "link"
  | "code"
  | "quote"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "type"
  | "name";

/** Text in one look. Whatever it holds, what reaches the terminal is printable. */
export interface Span {
  readonly text: string;
  readonly styles?: readonly Style[] | undefined;
  /** Where it leads, on terminals that show links; an address that a link may not lead to is left out. */
  readonly href?: string | undefined;
}

/** One line of the screen, without its end. */
export type Line = readonly Span[];

/** A line of one look. */
export function createLine(text: string, ...styles: Style[]): Line {
  return [{ text, styles }];
}

export function toPlainText(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** Whether some of a text may be one character together: marks, flags, skin colours, jamo. */
function canJoin(text: string): boolean {
  return joining.test(text);
}

/**
 * The characters of a text that may join, in order, in linear time. One of more code points than anybody writes is several,
 * each as if the text began there.
 */
export function* splitJoinedCharacters(text: string): Generator<string> {
  let segmenter: Intl.Segmenter | undefined;

  function segmentsOf(part: string): string[] {
    // It takes 40 ms to load and is slow: most texts do without.
    segmenter ??= new Intl.Segmenter();
    return Array.from(segmenter.segment(part), ({ segment }) => segment);
  }

  for (let start = 0; start < text.length; ) {
    const part = takeStart(text.slice(start, start + partUnits + 1), partUnits);
    const found = pictures.test(part) ? (part.match(picture) ?? []) : segmentsOf(part);
    for (const character of settled(found, start + part.length === text.length)) {
      start += character.length;
      yield character;
    }
  }
}

/** Whether a character is as long as one can be, so that it may be a piece of what joins on without an end. */
function isFull(character: string): boolean {
  return character.length >= mostPoints && Array.from(character).length >= mostPoints;
}

/** Up to the first that is too long, which is cut; the last may go on behind its part. */
function settled(found: readonly string[], isEnd: boolean): readonly string[] {
  const full = found.findIndex(isFull);
  if (full < 0) return isEnd ? found : found.slice(0, -1);
  return [
    ...found.slice(0, full),
    Array.from(found[full] ?? "")
      .slice(0, mostPoints)
      .join(""),
  ];
}

/** Code points of one character at most; the longest pictures in use have ten. */
const mostPoints = 32;

/** UTF-16 units that are looked at together; more than one character has. */
const partUnits = 128;

const joins = String.raw`\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\r\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f`;
const joining = new RegExp(`[${joins}]`, "u");

/** A picture, also one of several that are joined, or what joins with nothing: what is found among simple units mostly. */
const one = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*`;
const picture = new RegExp(String.raw`${one}(?:\u200d${one})*|[^\p{Extended_Pictographic}${joins}]`, "gu");
const pictures = new RegExp(`^(?:${picture.source})+$`, "u");
