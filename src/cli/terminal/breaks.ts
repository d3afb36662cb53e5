import type { Grapheme } from "./graphemes.ts";

/**
 * Whether a line may end between two neighbouring characters: behind a space, and between two of which one is East Asian
 * (not Hangul, which has words), but never before a closing mark or behind an opening one
 * (https://www.w3.org/TR/clreq/#prohibition_rules_for_line_start_end).
 */
export function mayBreak(before: Grapheme, after: Grapheme): boolean {
  if (after.text === " ") return false;
  if (before.text === " ") return true;
  if (!hasNoWords(before) && !hasNoWords(after)) return false;
  return after.cells > 0 && !opening.test(before.text) && !closing.test(after.text);
}

function hasNoWords({ text, cells }: Grapheme): boolean {
  return cells > 1 && !/^[\u1100-\u11ff\uac00-\ud7a3]/.test(text);
}

const opening = /^[([{<“‘（「『【《〈〔〖［｛｢￥＄$]$/;
const closing =
  /^[)\]}>,.;:!?%”’…—·。，、．；：？！）」』】》〉〕〗］｝｣％～〜‥・ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]$/;
