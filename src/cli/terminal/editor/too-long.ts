import { type Locale, say } from "../../../kit/locale.ts";
import { createLine, type Line } from "../text/line.ts";
import { cutLine } from "../text/wrap.ts";
import { mostTyped } from "./typing.ts";

/** Says that a text was not put in, since it would have made too long a text. */
export function renderTooLong(units: number, locale: Locale, columns: number): Line {
  const text = {
    zh: `太长，没有插入：${units} 个字符（允许：总共最多 ${mostTyped} 个）`,
    en: `Too long, not inserted: ${units} characters (allowed: at most ${mostTyped} in total)`,
  };
  return cutLine(createLine(say(locale, text), "warn"), columns);
}
