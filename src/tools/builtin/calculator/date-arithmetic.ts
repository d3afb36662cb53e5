import { DuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { expressionError } from "./expression-error.ts";

const date = String.raw`(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?`;
const difference = new RegExp(String.raw`^\s*${date}\s+[-−–]\s+${date}\s*=?\s*$`);
const shift = new RegExp(String.raw`^\s*${date}\s*([-−–+＋])\s*(\d{1,6})\s*(days?|weeks?|天|日|周)\s*=?\s*$`, "i");
const iso = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const isoDifference = new RegExp(String.raw`^\s*${iso}\s*[-−–]\s*${iso}\s*=?\s*$`);
const isoShift = new RegExp(String.raw`^\s*${iso}\s*([-−–+＋])\s*(\d{1,6})\s*=?\s*$`);
const anyIso = /(?<![\d.])[12]\d{3}-(0\d|1[0-2])-[0-3]\d(?![\d.])/;
const dayMs = 86_400_000;

/** `2026-11-21 - 2026-01-01` in days, or the day that is `2026-11-21 + 30 days`; undefined for anything else. Throws as `day` does, and for a date elsewhere. */
export function calculateDate(text: string, locale: Locale): string | undefined {
  const [, ...six] = difference.exec(text) ?? isoDifference.exec(text) ?? [];
  if (six.length > 0) {
    const [a, b] = [day(six.slice(0, 3)), day(six.slice(3))];
    const days = (a - b) / dayMs;
    return say(locale, { zh: `= ${days} 天`, en: `= ${days} days` });
  }
  const [, year, month, dayOfMonth, sign, count, unit = ""] = shift.exec(text) ?? isoShift.exec(text) ?? [];
  if (year === undefined) return refuseDates(text);
  const from = day([year, month, dayOfMonth]);
  const days = Number(count) * (/week|周/i.test(unit) ? 7 : 1) * (sign === "+" || sign === "＋" ? 1 : -1);
  const to = new Date(from + days * dayMs);
  if (Number.isNaN(to.getTime())) return undefined;
  const weekday = new Intl.DateTimeFormat(locale === "zh" ? "zh-CN" : "en", {
    weekday: "long",
    timeZone: "UTC",
  }).format(to);
  return `= ${to.toISOString().slice(0, 10)} (${weekday})`;
}

/** A date within a sum is not meant as two subtractions. */
function refuseDates(text: string): undefined {
  const [found] = anyIso.exec(text) ?? [];
  if (found === undefined) return undefined;
  const numbers = found.replaceAll("-", " - ");
  throw expressionError(
    `${found} 像日期：日期请写 ${found} + 7 天 或 ${found} - 2026-01-01，数字请写 ${numbers}`,
    `${found} looks like a date: write ${found} + 7 days or ${found} - 2026-01-01 for dates, ${numbers} for numbers`,
  );
}

/** Milliseconds since 1970. Throws for a day that is not in the calendar. */
function day(parts: readonly (string | undefined)[]): number {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = parts.map(Number);
  const ms = Date.UTC(year, month - 1, dayOfMonth);
  if (new Date(ms).getUTCMonth() === month - 1) return ms;
  const shown = parts.join("-");
  throw new DuetError({ code: "tool", text: { zh: `没有 ${shown} 这一天`, en: `There is no such day as ${shown}.` } });
}
