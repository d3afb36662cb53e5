/** A marker may be a citation: `[1]`, `[1, 3]`, `[1-3]`, `[^1]`, `[[1]]`, `[citation:1]`, [来源1], 【1】 or 【1†…】. */
export interface Marker {
  /** Holds the marker itself, without the text that follows it. */
  text: string;
  /** Lists the numbers in their order, with ranges expanded. */
  numbers: number[];
  /** Is true for a Markdown footnote, which may have its own definition. */
  isFootnote: boolean;
  /** Is true for several numbers of which no mark says that they are a citation: a list of values has the same form. */
  isList: boolean;
}

/** Limits the length of a marker; a longer text in brackets is not a marker. */
const longest = 48;
const mostInARange = 20;

/** Is true when a marker may begin with the character that has this code. */
export function canOpenMarker(code: number): boolean {
  return code === 91 || code === 0x3010 || code === 0xff3b || code === 0x3014;
}

/** Reads the marker at the head of `text`; "open" when more text may make it one; undefined when it is none. */
export function readMarker(text: string): Marker | "open" | undefined {
  const doubled = text.startsWith("[[");
  const word = readWord(text.slice(doubled ? 2 : 1));
  if (word === "open") return "open";
  const start = (doubled ? 2 : 1) + word.length;
  const close = findClosingBracket(text, start);
  if (close === "open" || close === undefined) return close;
  const end = doubled ? close + 1 : close;
  if (doubled && text[end] !== "]") return text.length === end ? "open" : undefined;
  const inside = text.slice(start, close).normalize("NFKC");
  const numbers = readNumbers(inside, text[0] === "【");
  if (numbers === undefined) return undefined;
  const isFootnote = inside.startsWith("^");
  const isList = numbers.length > 1 && word === "" && !isFootnote;
  return { text: text.slice(0, end + 1), numbers, isFootnote, isList };
}

/** Lists the numbers of all markers in a text. */
export function listMarkedNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const marker = canOpenMarker(text.charCodeAt(index)) ? readMarker(text.slice(index)) : undefined;
    if (marker === undefined || marker === "open") continue;
    numbers.push(...marker.numbers);
    index += marker.text.length - 1;
  }
  return numbers;
}

/** Some models were trained to put one of these words before the number. */
const words = ["citation:", "来源：", "来源:", "来源"];

/** Returns the word at the head of the text, or an empty string when there is none. */
function readWord(text: string): string {
  const head = text.slice(0, longest).toLowerCase();
  if (words.some((word) => word !== head && word.startsWith(head))) return "open";
  return words.find((word) => head.startsWith(word)) ?? "";
}

function findClosingBracket(text: string, start: number): number | "open" | undefined {
  let note = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index] ?? "";
    if (closers.includes(character)) return index > start ? index : undefined;
    note ||= character === "†" && text[0] === "【";
    if (index > longest || character === "\n" || !(note || inner.includes(character))) return undefined;
  }
  return "open";
}

const closers = "]】］〕";
const inner = "0123456789０１２３４５６７８９^ ,，、;；-–—~～†";

function readNumbers(inside: string, mayHaveNote: boolean): number[] | undefined {
  const noted = mayHaveNote ? /^\s*(\d{1,3})(?::\d{1,3})?†/.exec(inside) : null;
  if (noted) return [Number(noted[1])];
  const numbers: number[] = [];
  for (const part of inside.split(/[,、;]/)) {
    const [, from, to = from] = /^\s*\^?(\d{1,3})(?:\s*[-–—~]\s*\^?(\d{1,3}))?\s*$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last < first || last - first >= mostInARange) return undefined;
    for (let number = first; number <= last; number++) numbers.push(number);
  }
  return numbers;
}

/** Limits the length of a link address that is examined. */
const longestAddress = 2048;

/** Is true for an address that a link may have, and false for a remark in brackets: `[1](2024)`. */
export function isAddress(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^[/#.]/i.test(target);
}

/**
 * Returns the address of a Markdown link whose `(` is at the start of `text`; "open" when more text may end it; undefined when
 * it is not a link. Round brackets in the address must be balanced.
 */
export function readLinkTarget(text: string): string | "open" | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 32 || index > longestAddress) return undefined;
    if (code === 40) depth++;
    if (code === 41 && --depth === 0) return text.slice(1, index);
  }
  return "open";
}

/** A marker in its place: with what stands between it and the marker before, and with the link that it carries. */
export interface PlacedMarker extends Marker {
  joiner: string;
  /** Is the address of the link on the marker, if there is one. */
  target: string | undefined;
  /** Counts the characters of the marker with its link, without the joiner. */
  length: number;
}

/** Limits the markers that are read as one group. */
const mostInAGroup = 20;

/** Reads the marker at the head of `text` with its link; "open" when more text may change it; undefined when it is none. */
export function readLinkedMarker(text: string, isLast: boolean): PlacedMarker | "open" | undefined {
  const marker = readMarker(text);
  if (marker === "open") return isLast ? undefined : "open";
  if (marker === undefined) return undefined;
  const rest = text.slice(marker.text.length);
  const link = rest.startsWith("(") ? readLinkTarget(rest) : undefined;
  if (!isLast && (rest === "" || link === "open")) return "open";
  const target = link !== undefined && link !== "open" && isAddress(link) ? link : undefined;
  const length = marker.text.length + (target === undefined ? 0 : target.length + 2);
  return { ...marker, joiner: "", target, length };
}

/**
 * Reads the markers that follow the first one with nothing but a comma, a semicolon or a word such as "and" between them: together
 * they cite one sentence. Returns "open" when more text may add one.
 */
export function readGroup(
  text: string,
  first: PlacedMarker,
  { isLast, isMember }: { isLast: boolean; isMember(marker: PlacedMarker): boolean },
): PlacedMarker[] | "open" {
  const group = [first];
  let rest = text.slice(first.length);
  while (group.length < mostInAGroup) {
    if (!isLast && joinerStart.test(rest)) return "open";
    const [joiner] = joinerBefore.exec(rest) ?? [];
    const next = joiner === undefined ? undefined : readLinkedMarker(rest.slice(joiner.length), isLast);
    if (next === "open") return "open";
    if (joiner === undefined || next === undefined || !isMember(next)) break;
    group.push({ ...next, joiner });
    rest = rest.slice(joiner.length + next.length);
  }
  return group;
}

/** Returns the length of markers with what stands between them, in characters. */
export function measure(markers: readonly PlacedMarker[]): number {
  return markers.reduce((sum, { joiner, length }) => sum + joiner.length + length, 0);
}

const joinerBefore = /^ {0,2}(?:[,，、;；] {0,2})?(?:(?:and|or|&|以及|和|或|与|及) {0,2})?(?=[[【［〔])/i;

/** Matches a whole text that may become a joiner. */
const joinerStart = /^ {0,2}(?:[,，、;；] {0,2})?(?:(?:an?|and|or?|&|以及?|和|或|与|及) {0,2})?$/i;
