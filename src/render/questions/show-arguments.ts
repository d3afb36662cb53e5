import type { JsonObject, JsonValue } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { showBlanks, toSafeJson } from "../../kit/text/sanitize.ts";
import { takeEnd, takeStart } from "../../kit/text/truncate.ts";

/** Limits a call's arguments on the screen, in UTF-16 units: a user has to see what is approved, but not screens full of text. */
const longestArguments = 10_000;

/** Limits each text in arguments that exceed `longestArguments`. */
const longestText = 1_000;

export interface ShownArguments {
  text: string;
  /** Is true when nothing is left out. */
  isWhole: boolean;
}

/**
 * Renders a call's arguments as JSON that is safe to show, without invisible characters or long runs of blanks. When they are
 * too long, long texts lose their middle first, so that none hides what follows it.
 */
export function showArguments(args: JsonObject, locale: Locale, isUnlimited = false): ShownArguments {
  if (isUnlimited) return { text: showJoiners(renderJson(args, locale)), isWhole: true };
  const whole = takeVisibleHead(renderJson(args, locale));
  if (whole.left === 0) return { text: whole.head, isWhole: true };
  const { head, left } = takeVisibleHead(renderJson(withShortTexts(args, locale), locale));
  return { text: left === 0 ? head : `${head}…${describeHidden(left, locale)}`, isWhole: false };
}

function renderJson(args: JsonValue, locale: Locale): string {
  return showBlanks(toSafeJson(args, 2), locale);
}

/** Looks for joiners only in text that fits, because the emoji tables are slow to look up. */
function takeVisibleHead(json: string): { head: string; left: number } {
  const part = takeStart(json, longestArguments);
  const visible = showJoiners(part);
  const head = takeStart(visible, longestArguments);
  return { head, left: visible.length - head.length + json.length - part.length };
}

function withShortTexts(value: JsonValue, locale: Locale): JsonValue {
  if (typeof value === "string") return shortenText(value, locale);
  if (Array.isArray(value)) return value.map((inner) => withShortTexts(inner, locale));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, locale)]));
}

/** Takes the middle out of a text that is too long, and says so. */
export function shortenText(text: string, locale: Locale, longest = longestText): string {
  if (text.length <= longest) return text;
  const [head, tail] = [takeStart(text, longest * 0.75), takeEnd(text, longest * 0.25)];
  return `${head}…${describeHidden(text.length - head.length - tail.length, locale)}…${tail}`;
}

function describeHidden(count: number, locale: Locale): string {
  return say(locale, { zh: `（另有 ${count} 个字符未显示）`, en: ` (${count} more characters not shown) ` }).trimEnd();
}

/**
 * Escapes the characters that join emoji or complete a character (U+200D, U+FE0E, U+FE0F) wherever they do neither, as in
 * `mail\u200d`. It needs the whole JSON text, which `toSafeJson` does not have (https://www.unicode.org/reports/tr51/).
 */
export function showJoiners(json: string): string {
  if (!joiner.test(json)) return json;
  const emojiAndJoiners = createEmojiPattern();
  return json.replace(mayBeEmoji, (run) =>
    joiner.test(run) ? run.replace(emojiAndJoiners, (part) => (loneJoiner.test(part) ? escapeOf(part) : part)) : run,
  );
}

const joiner = /[\u200d\ufe0e\ufe0f]/;
const loneJoiner = /^[\u200d\ufe0e\ufe0f]$/;
const mayBeEmoji = /(?:[\p{Emoji}\p{Emoji_Component}]|\ufe0e)+/gu;

/** The first one takes 12 ms, for which no start of the program shall wait. */
function createEmojiPattern(): RegExp {
  return /\p{RGI_Emoji}|\p{Extended_Pictographic}\ufe0e|[\u200d\ufe0e\ufe0f]/gv;
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}

/**
 * Makes look-alike letters visible: in a word that mixes Latin with Cyrillic or Greek letters, those stand with their code points
 * behind it, as in `сurl(U+0441)`. Backslash escapes, of JSON or of `printable`, are no letters. Whoever agrees to a call must see
 * what it is about (https://www.unicode.org/reports/tr39/, mixed-script detection).
 */
export function showLookAlikes(text: string): string {
  return text.replace(wordsAndEscapes, (word) => {
    if (word.startsWith("\\") || !latin.test(word)) return word;
    const foreign = [...new Set(word.match(others))];
    return foreign.length === 0 ? word : `${word}(${foreign.map(toCodePoint).join(" ")})`;
  });
}

const wordsAndEscapes = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|[^u])|[\p{L}\p{M}]+/giu;
const latin = /\p{Script=Latin}/u;
const others = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

function toCodePoint(letter: string): string {
  return `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
