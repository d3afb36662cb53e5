import { DuetError } from "../../../core/errors.ts";
import { type Locale, say } from "../../../core/locale.ts";

const date = String.raw`(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?`;
const difference = new RegExp(String.raw`^\s*${date}\s+[-−–]\s+${date}\s*=?\s*$`);
const shift = new RegExp(String.raw`^\s*${date}\s*([-−–+＋])\s*(\d{1,6})\s*(days?|weeks?|天|日|周)\s*=?\s*$`, "i");
const dayMs = 86_400_000;

/** `2026-11-21 - 2026-01-01` in days, or the day that is `2026-11-21 + 30 days`; undefined for anything else. Throws as `day` does. */
export function calculateDate(text: string, locale: Locale): string | undefined {
  const [, ...six] = difference.exec(text) ?? [];
  if (six.length > 0) {
    const [a, b] = [day(six.slice(0, 3)), day(six.slice(3))];
    const days = (a - b) / dayMs;
    return say(locale, { zh: `= ${days} 天`, en: `= ${days} days` });
  }
  const [, year, month, dayOfMonth, sign, count, unit = ""] = shift.exec(text) ?? [];
  if (year === undefined) return undefined;
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

/** Milliseconds since 1970. Throws for a day that is not in the calendar. */
function day(parts: readonly (string | undefined)[]): number {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = parts.map(Number);
  const ms = Date.UTC(year, month - 1, dayOfMonth);
  if (new Date(ms).getUTCMonth() === month - 1) return ms;
  const shown = parts.join("-");
  throw new DuetError({ code: "tool", text: { zh: `没有 ${shown} 这一天`, en: `There is no such day as ${shown}.` } });
}
