import { type Characters, isSpace } from "./spread.ts";

/**
 * Whether a row may begin with this character of a line, not the first: behind a space, and between two of which one is East
 * Asian (not Hangul, which has words), but never with a closing mark or behind an opening one
 * (https://www.w3.org/TR/clreq/#prohibition_rules_for_line_start_end).
 */
export function canBreak(characters: Characters, index: number): boolean {
  if (isSpace(characters, index)) return false;
  if (isSpace(characters, index - 1)) return true;
  if (hasWords(characters, index - 1) && hasWords(characters, index)) return false;
  const { text, starts, cells } = characters;
  const start = starts[index] ?? 0;
  const isKept = closing.has(text.slice(start, starts[index + 1])) || opening.has(text.slice(starts[index - 1], start));
  return cells[index] !== 0 && !isKept;
}

function hasWords({ text, starts, cells }: Characters, index: number): boolean {
  return (cells[index] ?? 0) < 2 || hangul.test(text.charAt(starts[index] ?? 0));
}

const hangul = /[\u1100-\u11ff\uac00-\ud7a3]/;
const opening: ReadonlySet<string> = new Set("([{<“‘（「『【《〈〔〖［｛｢￥＄$");
const closing: ReadonlySet<string> = new Set(
  ")]}>,.;:!?%”’…—·。，、．；：？！）」』】》〉〕〗］｝｣％～〜‥・ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ",
);
