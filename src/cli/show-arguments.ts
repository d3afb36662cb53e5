import { headOf, tailOf } from "../core/cut-text.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { type Locale, say } from "../core/locale.ts";
import { printableJson } from "../core/printable.ts";

/** Of a call's arguments, in UTF-16 units: what is agreed to is to be seen, but a book may not fill the screen. */
const longestArguments = 10_000;
/** Of each text in arguments that are longer than that. */
const longestText = 1_000;

/**
 * A call's arguments as JSON that is safe to show. Where they are too long, long texts lose their middle first, so that none
 * hides what stands behind it.
 */
export function showArguments(args: JsonObject, locale: Locale): string {
  const json = printableJson(args, 2);
  if (json.length <= longestArguments) return json;
  const shorter = printableJson(withShortTexts(args, locale), 2);
  const head = headOf(shorter, longestArguments);
  const left = shorter.length - head.length;
  return left === 0 ? shorter : `${head}…${notShown(left, locale)}`;
}

function withShortTexts(value: JsonValue, locale: Locale): JsonValue {
  if (typeof value === "string") return shortText(value, locale);
  if (Array.isArray(value)) return value.map((inner) => withShortTexts(inner, locale));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, locale)]));
}

function shortText(text: string, locale: Locale): string {
  if (text.length <= longestText) return text;
  const [head, tail] = [headOf(text, longestText * 0.75), tailOf(text, longestText * 0.25)];
  return `${head}…${notShown(text.length - head.length - tail.length, locale)}…${tail}`;
}

function notShown(count: number, locale: Locale): string {
  return say(locale, { zh: `（另有 ${count} 个字符未显示）`, en: ` (${count} more characters not shown) ` }).trimEnd();
}
