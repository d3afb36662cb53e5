import { inspect } from "node:util";
import { DuetError } from "../../kit/errors.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";

/** Says what is wrong with a tool of the user's: its place, the property, the value, and what is allowed. */
export function wrongToolError(where: string, key: string, value: unknown, allowed: string): DuetError {
  const text = typeof value === "object" ? inspect(value, { depth: 1, breakLength: Infinity }) : String(value);
  const shown = toShortLine(text, 80);
  const place = [where, key].filter((part) => part !== "").join(": ");
  return new DuetError({
    code: "config",
    text: {
      zh: `${place}: ${shown}（允许：${allowed}）`,
      en: `${place}: ${shown} is not allowed (allowed: ${allowed})`,
    },
  });
}
