import type { PlacedMarker } from "./citation-marker.ts";
import { isBehindPlainWord, isBehindValueWord, isClauseEnd } from "./citation-place.ts";

/** Describes the place of markers that stand beside each other. */
interface ListPlace {
  isKnown(number: number): boolean;
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
  { isKnown, before, behind, isIndex }: ListPlace,
): { values: readonly PlacedMarker[]; citations: readonly PlacedMarker[] } {
  const mayCite =
    isAtClauseEnd(before, behind) || (isWithinClause(before, behind) && hasOnlyKnownLists(markers, isKnown));
  if (mayCite && !isIndex) return { values: [], citations: markers };
  const values = takeValues(markers, isKnown);
  return { values, citations: values.length > 0 ? [] : takeUntilList(markers) };
}

/**
 * Is true where several numbers in one bracket stand as a citation does: behind a word or a closing mark, at the end of a clause.
 * Elsewhere they are more often data, as in `{"a": [1, 2]}` or "the interval [1, 3]". Data that is changed does more harm than a
 * citation that stays as it was written.
 */
function isAtClauseEnd(before: string, behind: string): boolean {
  const text = trimContext(before);
  if (isBehindListWord(text)) return false;
  return clauseBody.test(text) && (isClauseEnd(behind) || clauseCloser.test(behind));
}

/**
 * Is true between two words of prose, as in "Studies [1, 2] show". A clause goes on behind a list of values as well, so more words than
 * at its end tell of one, and there it is asked besides whether each number has a source.
 */
function isWithinClause(before: string, behind: string): boolean {
  const text = trimContext(before);
  if (isBehindListWord(text) || innerListWord.test(text)) return false;
  return (isBehindPlainWord(text) || foreignWord.test(text)) && nextWord.test(behind);
}

function hasOnlyKnownLists(markers: readonly PlacedMarker[], isKnown: (number: number) => boolean): boolean {
  return markers.every(({ isList, numbers }) => !isList || numbers.every(isKnown));
}

function trimContext(before: string): string {
  return before.slice(-longestContext).replace(/ +$/, "");
}

function isBehindListWord(text: string): boolean {
  return isBehindValueWord(text) || listWord.test(text) || itemMark.test(text);
}

/** Limits the text before a bracket that is looked at, in characters. */
const longestContext = 40;

/** Matches a text that ends with a word, with a mark that closes something, or with the end of what is set in bold or italics. */
const clauseBody = /(?:[\p{L}\p{N}%°.。!！?？…)）」』”’»]|(?<=[\p{L}\p{N}.!?%)])["'`])[*_~]{0,3}$/u;

/** Matches a text that ends with a word of another script than the Latin letters without accents. */
const foreignWord = /\p{Lo}$|\p{L}(?=[^a-z])\p{Ll}$/u;

/** Matches what goes on with a clause: a word, a number, round brackets or quotes. */
const nextWord = /^ {0,2}[\p{L}\p{N}(（"“「]/u;

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

const listWord = toEndOfText(listWords, chineseListWords);

/** Lists what comes before a list of values with which a clause goes on, besides the words above. A citation may end a clause there. */
const innerListWords = [
  "a|add|after|an|any|because|before|but|call|calls|consider|convert|converts|delete|each|every|exactly|flip|given",
  "if|insert|its|just|let|map|maps|merge|merges|merging|nums|only|pass|passes|per|remove|reverse|rotate|since|so",
  "sorting|split|start|starting|suppose|swap|swaps|swapping|take|takes|taking|that|the|these|this|those|transform",
  "transforms|try|turn|turns|under|using|via|when|where|whether|which|while|without",
];

const chineseInnerListWords = [
  "将|把|从|若|(?<!建)设|(?<!供)给|如果|例如|比如|给定|假设|合并|交换|反转|翻转|删除|插入|添加|加入|传入|代入",
];

const innerListWord = toEndOfText(innerListWords, chineseInnerListWords);

function toEndOfText(english: readonly string[], chinese: readonly string[]): RegExp {
  return new RegExp(`(?:(?:^|[^a-z])(?:${english.join("|")})|${chinese.join("|")})$`, "i");
}

/**
 * Returns the values at the head of a group that does not stand as a citation: a list, and what a comma or a word joins to it. A single
 * number behind the list is none where it has a source, or where nothing joins the two: it may cite the list.
 */
function takeValues(markers: readonly PlacedMarker[], isKnown: (number: number) => boolean): readonly PlacedMarker[] {
  if (markers[0]?.isList !== true) return [];
  const isCitation = ({ isList, joiner, numbers }: PlacedMarker): boolean =>
    !isList && (joiner.trim() === "" || numbers.some(isKnown));
  const end = markers.findIndex(isCitation);
  return end < 0 ? markers : markers.slice(0, end);
}

/** Returns the markers before the first list. */
function takeUntilList(markers: readonly PlacedMarker[]): readonly PlacedMarker[] {
  const end = markers.findIndex(({ isList }) => isList);
  return end < 0 ? markers : markers.slice(0, end);
}
