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
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** Returns the last `length` UTF-16 units, one less when that would split a surrogate pair. */
export function takeEnd(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

function splitsPair(text: string, index: number): boolean {
  return isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
