import type { JsonObject, JsonValue } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { toSafeJson } from "../../kit/text/sanitize.ts";
import { showBlanks } from "../../kit/text/show-blanks.ts";
import { takeEnd, takeStart } from "../../kit/text/truncate.ts";
import { showJoiners } from "./joiners.ts";

/** Of a call's arguments, in UTF-16 units: what is agreed to is to be seen, but a book may not fill the screen. */
const longestArguments = 10_000;
/** Of each text in arguments that are longer than that. */
const longestText = 1_000;

export interface ShownArguments {
  text: string;
  /** Whether nothing is left out. */
  isWhole: boolean;
}

/**
 * A call's arguments as JSON that is safe to show, with nothing invisible and no long run of blanks in it. Where they are too
 * long, long texts lose their middle first, so that none hides what stands behind it.
 */
export function showArguments(args: JsonObject, locale: Locale): ShownArguments {
  const whole = visibleHead(safeJson(args, locale));
  if (whole.left === 0) return { text: whole.head, isWhole: true };
  const { head, left } = visibleHead(safeJson(withShortTexts(args, locale), locale));
  return { text: left === 0 ? head : `${head}…${notShown(left, locale)}`, isWhole: false };
}

function safeJson(args: JsonValue, locale: Locale): string {
  return showBlanks(toSafeJson(args, 2), locale);
}

/** The table of emoji is slow to look up, so joiners are looked for only in what has a place. */
function visibleHead(json: string): { head: string; left: number } {
  const part = takeStart(json, longestArguments);
  const visible = showJoiners(part);
  const head = takeStart(visible, longestArguments);
  return { head, left: visible.length - head.length + json.length - part.length };
}

function withShortTexts(value: JsonValue, locale: Locale): JsonValue {
  if (typeof value === "string") return shortText(value, locale);
  if (Array.isArray(value)) return value.map((inner) => withShortTexts(inner, locale));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withShortTexts(inner, locale)]));
}

function shortText(text: string, locale: Locale): string {
  if (text.length <= longestText) return text;
  const [head, tail] = [takeStart(text, longestText * 0.75), takeEnd(text, longestText * 0.25)];
  return `${head}…${notShown(text.length - head.length - tail.length, locale)}…${tail}`;
}

function notShown(count: number, locale: Locale): string {
  return say(locale, { zh: `（另有 ${count} 个字符未显示）`, en: ` (${count} more characters not shown) ` }).trimEnd();
}
