import type { PlacedMarker } from "./citation-marker.ts";
import { isBehindValueWord, isClauseEnd } from "./citation-place.ts";

/** Describes the place of markers that stand beside each other. */
interface ListPlace {
  before: string;
  behind: string;
  /** Is true where the first marker is an index by its place, as in `width[1, 2]`. */
  isIndex: boolean;
}

/**
 * Tells lists of values from citations. The values are those at the head of the group, and are left as they are; where there are none,
 * the citations are the markers up to the first list of values.
 */
export function divideLists(
  markers: readonly PlacedMarker[],
  { before, behind, isIndex }: ListPlace,
): { values: readonly PlacedMarker[]; citations: readonly PlacedMarker[] } {
  if (!isIndex && isListPlace(before, behind)) return { values: [], citations: markers };
  const values = markers.slice(0, countListValues(markers));
  return { values, citations: values.length > 0 ? [] : takeUntilList(markers) };
}

/**
 * Is true where several numbers in one bracket stand as a citation does: behind a word or a closing mark, at the end of a clause.
 * Elsewhere they are more often data, as in `{"a": [1, 2]}` or "the interval [1, 3]". Data that is changed does more harm than a
 * citation that stays as it was written.
 */
function isListPlace(before: string, behind: string): boolean {
  const text = before.slice(-longestContext).replace(/ +$/, "");
  if (isBehindValueWord(text) || listWord.test(text) || itemMark.test(text)) return false;
  return clauseBody.test(text) && (isClauseEnd(behind) || clauseCloser.test(behind));
}

/** Limits the text before a bracket that is looked at, in characters. */
const longestContext = 40;

/** Matches a text that ends with a word, with a mark that closes something, or with the end of what is set in bold or italics. */
const clauseBody = /(?:[\p{L}\p{N}%°.。!！?？…)）」』”’»]|(?<=[\p{L}\p{N}.!?%)])["'`])[*_~]{0,3}$/u;

/** Matches the mark of a list item, behind which nothing has been said yet. */
const itemMark = /(?:^|\n)[ \t>]*\(?(?:\d+|[a-z])[.)]$/i;

/** Matches what ends a clause besides punctuation: the end of a table cell, of brackets, of quotes or of bold text, and a dash. */
const clauseCloser = /^(?: {0,2}[|—]|[)）」』”’»*_])/;

/** Lists what comes before a list of values, besides the words before a single one. */
const listWords = [
  "about|across|append|as|become|becomes|choose|drew|enter|for|get|gets|got|had|has|have|in|inside|into|like|made|make|makes",
  "namely|not|on|over|pick|press|print|printed|push|remain|remains|return|returned|roll|rolled|select|sort|sorted|through|type",
  "within|yield|yields|arrays?|cells|chapters?|columns?|combinations?|coordinates?|digits?|domain|elements|entries|grid|ids",
  "inputs?|integers?|intervals?|items?|keys|lines|lists|matrices|matrix|numbers|options|outputs|pages?|pairs?|permutations?",
  "points|positions|ranges?|rows?|seats?|sections?|sequences?|sets|slices?|steps|subsets?|tuples?|values|vectors?",
];

const chineseListWords = [
  "区间|坐标|范围|向量|矩阵|数列|序列|数对|数字|座位|座位号|编号|行号|列号|页码|第|(?<![网主首])页|排序|排列|组合|取值|数值|值域|定义域",
  "输入|打印|变成|排成|分成|如下|分别|依次|(?<!存)在|位于|属于|介于|对于|关于",
];

const listWord = new RegExp(`(?:(?:^|[^a-z])(?:${listWords.join("|")})|${chineseListWords.join("|")})$`, "i");

/**
 * Returns how many markers are data at the head of a group that does not stand as a citation: a list, and what a comma or a word
 * joins to it. A single number beside the list may cite it.
 */
function countListValues(markers: readonly PlacedMarker[]): number {
  if (markers[0]?.isList !== true) return 0;
  const end = markers.findIndex(({ isList, joiner }, index) => index > 0 && !isList && joiner.trim() === "");
  return end < 0 ? markers.length : end;
}

/** Returns the markers before the first list. */
function takeUntilList(markers: readonly PlacedMarker[]): readonly PlacedMarker[] {
  const end = markers.findIndex(({ isList }) => isList);
  return end < 0 ? markers : markers.slice(0, end);
}
