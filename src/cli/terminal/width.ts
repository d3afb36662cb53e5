import type { Line } from "./line.ts";
import { isPrintableAscii, shown } from "./shown.ts";

/**
 * The cells that a text takes on the screen once it is painted, what it holds of unprintable characters made visible.
 * Ambiguous characters are narrow (https://www.unicode.org/reports/tr11/).
 */
export function cellsOf(text: string): number {
  if (isPrintableAscii(text)) return text.length;
  const rest = text.replace(narrow, "");
  if (!notWide.test(rest)) return text.length + rest.length;
  const visible = shown(text);
  if (!joining.test(visible)) return sumOfCells(visible);
  return graphemesOf(visible).reduce((cells, grapheme) => cells + cellsOfGrapheme(grapheme), 0);
}

export function cellsOfLine(line: Line): number {
  return line.reduce((cells, { text }) => cells + cellsOf(text), 0);
}

/** What a person sees as one character each, in order. Joined they are the text. */
export function graphemesOf(text: string): string[] {
  if (isPrintableAscii(text)) return text.split("");
  // The segmenter takes long to load, more than a prompt may.
  if (!joining.test(text)) return Array.from(text);
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function cellsOfGrapheme(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  if (textEmoji.test(grapheme)) return 1;
  // What a joiner joins on stands in the cells of what is before it, and so does the rest of a Hangul syllable.
  const [own = ""] = grapheme.split("\u200d");
  return sumOfCells(hangul.test(own) ? String.fromCodePoint(own.codePointAt(0) ?? 0) : own);
}

/** Of characters that do not join. */
function sumOfCells(text: string): number {
  return text.replace(invisible, "").replace(wide, "ww").replace(astral, "n").length;
}

// Of one cell, and of two, in one UTF-16 unit that joins with none of the others: most of what is shown.
const narrow = /[\x20-\x7e\u2013-\u2014\u2018-\u2019\u201c-\u201d\u2022\u2026\u2500-\u259f\u2800-\u28ff]+/g;
const notWide = /[^\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]/;

/** What may be one with its neighbour (https://www.unicode.org/reports/tr29/): marks, flags, skin colours, jamo. */
const joining =
  /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\r\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f]/u;
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
