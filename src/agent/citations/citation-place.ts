import type { Marker, PlacedMarker } from "./citation-marker.ts";

/** Describes the place of markers that stand beside each other. */
interface GroupPlace {
  hasSources(marker: Marker): boolean;
  /** Is the text behind the last one. */
  behind: string;
  /** Is true where the first one stands right behind a Latin word, as an index does. */
  isTight: boolean;
  /** Is true where all numbers without a source are the asker's own. */
  keepsOthers: boolean;
}

/**
 * Returns the markers up to the first one that is a value although it follows a citation: behind a word such as "and", or right behind
 * an index. At the end of a clause it is a citation all the same, unless it is 0.
 */
export function takeUntilValue(
  markers: readonly PlacedMarker[],
  { hasSources, behind, isTight, keepsOthers }: GroupPlace,
): readonly PlacedMarker[] {
  const first = markers.findIndex(hasSources);
  if (first < 0) return markers;
  const isWithinClause = !isClauseEnd(behind);
  const isValue = ({ joiner }: PlacedMarker): boolean =>
    isWithinClause && (joiner === "" ? isTight : isBehindValueWord(`]${joiner}`));
  const end = markers.findIndex(
    (marker, index) => index > first && !hasSources(marker) && (keepsOthers || isZero(marker) || isValue(marker)),
  );
  return end < 0 ? markers : markers.slice(0, end);
}

/** Is true for `[0]`: no source has this number, while many a value has. */
export function isZero({ numbers }: Marker): boolean {
  return numbers[0] === 0;
}

/**
 * Is true where a number in brackets behind this text is a value and not a citation: "the list is [7]", "结果是 [5]". A number with
 * nothing before it is a value too.
 */
export function isBehindValueWord(text: string): boolean {
  return valueWord.test(text.trimEnd().slice(-longestWord));
}

const valueWord =
  /^$|(?:^|[^a-z])(?:is|are|was|were|be|equals?|returns?|gives?|prints?|index|indices|list|array|vector|set|value|result|output|of|to|by|with|than|at|from|between|and|or|then|use|contains?|&)[:：]?$|(?:是|为|等于|得到|返回|输出|结果|列表|数组|集合|索引|下标|元素|包含|和|或|与|及|用)[:：]?$/i;

/** Limits the words before a number that are looked at, in characters. */
const longestWord = 16;

/** Is true behind a sign of mathematics or a key of JSON, where a bracket holds values: $[1, 2]$, x = [1], {"a": [1]}. */
export function isBehindSign(text: string): boolean {
  return /[$=∈] *$/.test(text) || jsonKey.test(text);
}

/** Matches a text that ends with a key of JSON and its colon. Behind other text, quotes with a colon hold words of prose. */
const jsonKey = /(?:^|[{,\n])[ \t]*(["'])(?:(?!\1)[^\n]){0,64}\1 *: *$/;

/** Is true where a text ends with a word or a number of prose, and not with a name of code such as `a`, `maxItems` or `item_1`. */
export function isBehindPlainWord(text: string): boolean {
  return /(?:^|[^\w.$])(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d+(?:[.,]\d+)*)$/.test(text);
}

/** Is true for text behind a number that begins with the end of a clause. A full stop before a letter, as in `users[3].name`, is none. */
export function isClauseEnd(text: string): boolean {
  return /^(?:$|[\n[。，；：！？、]|[.,;:!?](?:\s|$))/.test(text);
}

/** Is true for text behind a number that ends a clause or not, depending on what follows. */
export function canEndClause(text: string): boolean {
  return /^(?: {1,2}|[.,;:!?])$/.test(text);
}
