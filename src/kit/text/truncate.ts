/**
 * Returns at most `max` UTF-16 units of `text`, "…" included, cut at a word or sentence when one is near. Never splits a
 * character.
 */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  const head = takeStart(text, max - 1);
  const end = head.search(/[\s，。；！？、,.;!?][^\s，。；！？、,.;!?]*$/u);
  const kept = end >= head.length * 0.75 ? head.slice(0, end) : head;
  return `${kept.trimEnd()}…`;
}

/** Returns the first `length` UTF-16 units, one less when that would split a surrogate pair. */
export function takeStart(text: string, length: number): string {
  return text.slice(0, isSplittingPair(text, length) ? length - 1 : length);
}

/** Returns the last `length` UTF-16 units, one less when that would split a surrogate pair. */
export function takeEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(isSplittingPair(text, start) ? start + 1 : start);
}

function isSplittingPair(text: string, index: number): boolean {
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/**
 * Keeps at most `kept` UTF-16 units of a longer text, three quarters from its head and the rest from its tail, each ended
 * at a line, sentence or word where one is near. Between them stands, on a line of its own, what `gap` says of the
 * missing units and of where they begin.
 */
export function truncateMiddle(text: string, kept: number, gap: (missing: number, from: number) => string): string {
  if (text.length <= kept) return text;
  const share = Math.ceil(kept * 0.75);
  const head = trimToBoundary(takeStart(text, share));
  const tail = beginWell(takeEnd(text, kept - share));
  return `${head}\n${gap(text.length - head.length - tail.length, head.length)}\n${tail}`;
}

/** Holds the two ends of a text, and how many UTF-16 units stand between them. */
export interface CutText {
  head: string;
  missing: number;
  tail: string;
}

/** Cuts a text further whose middle is missing, as `truncateMiddle` would cut the whole text as far as it is there. */
export function truncateCut(
  { head, missing, tail }: CutText,
  kept: number,
  gap: (missing: number, from: number) => string,
): string {
  const share = Math.ceil(kept * 0.75);
  const start = head.length <= share ? head : trimToBoundary(takeStart(head, share));
  const end = tail.length <= kept - share ? tail : beginWell(takeEnd(tail, kept - share));
  const more = head.length - start.length + tail.length - end.length;
  return `${start}\n${gap(missing + more, start.length)}\n${end}`;
}

/** Cuts the text after the last line, sentence or word that ends near its end. Returns the whole text when none does. */
export function trimToBoundary(text: string): string {
  const from = text.length - countDroppable(text);
  for (const end of ends) {
    const last = [...text.slice(from).matchAll(end)].at(-1);
    if (last) return text.slice(0, from + last.index + 1);
  }
  return text;
}

function beginWell(text: string): string {
  const start = text.slice(0, countDroppable(text));
  for (const end of ends) {
    const found = start.search(end);
    if (found >= 0) return text.slice(found + 1);
  }
  return text;
}

/** Matches the ends of lines, of sentences and of words. */
const ends = [/\n/g, /[。！？；]|[.!?;](?=\s)/g, /[\s，、,]/g];

/** Returns how many characters may be lost to cut at a better place. */
function countDroppable({ length }: string): number {
  return Math.min(500, Math.floor(length / 5));
}
