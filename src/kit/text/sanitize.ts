import { type Locale, say } from "../locale.ts";
import { truncate } from "./truncate.ts";

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

/** Sanitizes text for one line: newlines and tabs become spaces too. */
export function sanitizeLine(text: string): string {
  return sanitize(text.replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, " ")).trim();
}

/**
 * Sanitizes text that arrives in pieces. Characters that may continue in the next piece (half a character, half a line end) wait
 * for it.
 */
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

/** Returns JSON whose strings have these characters only as escapes, with the same meaning. */
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

/** Returns the beginning of an outside text as one line that is safe to show, with at most `max` UTF-16 units, "…" included. */
export function toShortLine(text: string, max: number): string {
  // What is cut away need not be cleaned first: such a text may be a whole page.
  return truncate(sanitizeLine(text.slice(0, 4 * max)), max);
}

/**
 * Replaces 20 or more blanks in a row within a JSON string by their number, so that the text behind them is not pushed off the
 * screen. A tab counts as its escape.
 */
export function showBlanks(json: string, locale: Locale): string {
  return json.replace(blanksAndEscapes, (found) => {
    if (found.startsWith("\\") && !found.startsWith("\\t")) return found;
    const count = found.replaceAll("\\t", " ").length;
    return say(locale, { zh: `…（${count} 个空白字符）…`, en: `… (${count} blanks) …` });
  });
}

// Blanks at the beginning of a line indent it; the backslash of another escape begins none of a tab.
const blanksAndEscapes = /\\[^t]|(?<=\S)(?:\p{Zs}|\\t){20,}/gu;

/** Leaves out what only colours a text (SGR), which programs write to a terminal. Whatever else a text holds stays. */
export function removeColours(text: string): string {
  return text.replace(sgr, "");
}

const sgr = /(?:\u001b\[|\u009b)[0-9;:]*m/g;
