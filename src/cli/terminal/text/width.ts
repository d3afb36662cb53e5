import { visitCharacters } from "./characters.ts";
import { toDisplayedText } from "./displayed-text.ts";
import { canJoin, isFull } from "./joined-characters.ts";
import type { Line } from "./line.ts";
import { countSimpleCells, isSimple } from "./simple-text.ts";

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
