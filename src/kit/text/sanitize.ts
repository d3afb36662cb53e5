/**
 * Makes text safe to show: every control, formatting, private or invisible character becomes a visible `\u{..}`; newline and
 * tab stay. Nothing is stripped, so nothing can be re-created by stripping, and the result does not depend on how the
 * text was split (https://www.unicode.org/reports/tr36/ and CWE-150).
 */
export function sanitize(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same on one line: newlines and tabs become spaces too. */
export function sanitizeLine(text: string): string {
  return sanitize(text.replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, " ")).trim();
}

/** The same for text that comes in pieces: what may go on in the next piece (half a character, half a line end) waits. */
export interface Sanitizer {
  push(text: string): string;
  end(): string;
}

export function createSanitizer(): Sanitizer {
  let held = "";
  return {
    push(text) {
      const whole = held + text;
      held = /[\r\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
      return sanitize(whole.slice(0, whole.length - held.length));
    },
    end() {
      const rest = sanitize(held);
      held = "";
      return rest;
    },
  };
}

/** JSON text whose strings hold none of these characters in the raw; it means the same. */
export function toSafeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, undefined, indent) ?? "null").replace(unsafe, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

// Cc and Cf hold C0, C1, bidi, zero-width and tag characters; Co are private; Cs are lone surrogates. Fillers and variation
// selectors are ignorable by default, and the braille blank (U+2800), a symbol by its category, shows nothing either.
// The zero-width joiner and the selectors of text and picture stay: emoji are made of them.
const unsafe =
  /(?![\n\t\u200d]|[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu;

/** The beginning of a text from outside as one line that is safe to show: at most `max` UTF-16 units, "…" included. */
export function toShortLine(text: string, max: number): string {
  // What is cut away need not be cleaned first: such a text may be a whole page.
  return truncate(sanitizeLine(text.slice(0, 4 * max)), max);
}

/** At most `max` UTF-16 units of `text`, "…" included, ended at a word or sentence where one is near. Never half a character. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  const head = takeStart(text, max - 1);
  const end = head.search(/[\s，。；！？、,.;!?][^\s，。；！？、,.;!?]*$/u);
  const kept = end >= head.length * 0.75 ? head.slice(0, end) : head;
  return `${kept.trimEnd()}…`;
}

/** The first `length` UTF-16 units, one less where that would split a surrogate pair. */
export function takeStart(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** The last `length` UTF-16 units, one less where that would split a surrogate pair. */
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
