import type { JsonValue } from "../../../kit/json.ts";

export const dateParts = ["year", "quarter", "month", "week", "day", "weekday", "hour"] as const;

export type DatePart = (typeof dateParts)[number];

/** Holds year, month, day, hour, minute and second, as many as are written. The zone is left out: times count as written. */
export type WrittenDate = readonly number[];

/** Tells which of the numbers in `01/02/2026` comes first. */
export type DateOrder = "month first" | "day first";

const clock = String.raw`(?:[T\s]+(\d{1,2}):(\d\d)(?::(\d\d(?:[.,]\d{1,9})?))?\s*([AP]M)?\s*(?:Z|UTC|[+-]\d\d:?\d\d)?)?`;
const yearFirst = new RegExp(
  String.raw`^(\d{4})(?:\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2})\s*日?|\s*月)?|年)?${clock}$`,
  "i",
);
const yearLast = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${clock}$`, "i");
const dayName = new RegExp(String.raw`^(\d{1,2})[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})${clock}$`, "i");
const nameDay = new RegExp(String.raw`^([a-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})${clock}$`, "i");
const compact = /^(\d{4})(\d\d)(\d\d)$/;

const longest = 60;

/** Reads a cell as a date. Returns undefined for what is none, or is not in the calendar. */
export function readDate(cell: JsonValue | undefined, order: DateOrder = "month first"): WrittenDate | undefined {
  if ((typeof cell !== "string" && typeof cell !== "number") || String(cell).length > longest) return undefined;
  const text = String(cell).normalize("NFKC").trim();
  // 2026.11 is a number; only a text has months after a point.
  if (typeof cell === "number" && !/^(\d{4}|\d{8})$/.test(text)) return undefined;
  const squeezed = compact.exec(text);
  if (squeezed !== null) return toWrittenDate(squeezed.slice(1));
  const first = yearFirst.exec(text);
  if (first !== null) return toWrittenDate(first.slice(1, 4), first.slice(4));
  const last = yearLast.exec(text);
  if (last !== null) {
    const [month, day] = order === "month first" ? [last[1], last[3]] : [last[3], last[1]];
    return toWrittenDate([last[4], month, day], last.slice(5));
  }
  const day = dayName.exec(text);
  if (day !== null) return toWrittenDate([day[3], readMonth(day[2]), day[1]], day.slice(4));
  const month = nameDay.exec(text);
  return month === null ? undefined : toWrittenDate([month[3], readMonth(month[1]), month[2]], month.slice(4));
}

/**
 * Finds the order of the numbers in dates such as `13/02/2026`: one day above 12 decides for the whole column. Returns undefined
 * when there are no such dates, and `isGuessed` when none of them decides.
 */
export function findDateOrder(
  cells: readonly (JsonValue | undefined)[],
): { order: DateOrder; isGuessed: boolean } | undefined {
  let hasAny = false;
  for (const cell of cells) {
    const found = typeof cell === "string" && cell.length <= longest ? yearLast.exec(cell.trim()) : null;
    if (found === null) continue;
    hasAny = true;
    if (Number(found[1]) > 12) return { order: "day first", isGuessed: false };
    if (Number(found[3]) > 12) return { order: "month first", isGuessed: false };
  }
  return hasAny ? { order: "month first", isGuessed: true } : undefined;
}

/** Returns the part as sortable text: `2026`, `2026-Q4`, `2026-11`, `2026-W47`, `2026-11-20`, `5` (Friday), `23`. */
export function toDatePart(date: WrittenDate, part: DatePart): string | undefined {
  const [year = 0, month, day, hour] = date;
  const formatTwoDigits = (value: number) => String(value).padStart(2, "0");
  if (part === "year") return String(year);
  if (part === "hour") return hour === undefined ? undefined : formatTwoDigits(hour);
  if (month === undefined) return undefined;
  if (part === "quarter") return `${year}-Q${Math.ceil(month / 3)}`;
  if (part === "month") return `${year}-${formatTwoDigits(month)}`;
  if (day === undefined) return undefined;
  if (part === "day") return `${year}-${formatTwoDigits(month)}-${formatTwoDigits(day)}`;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
  if (part === "weekday") return String(weekday);
  // The week belongs to the year in which its Thursday lies (ISO 8601).
  const thursday = new Date(Date.UTC(year, month - 1, day + 4 - weekday));
  const start = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return `${thursday.getUTCFullYear()}-W${formatTwoDigits(Math.floor((thursday.getTime() - start) / 604_800_000) + 1)}`;
}

const weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * Reads the value that a part is compared with. Returns undefined when it is no such part. `isWithinYear` tells that it has no
 * year, such as 11 for every November.
 */
export function readPartValue(text: string, part: DatePart): { text: string; isWithinYear: boolean } | undefined {
  const plain = text.normalize("NFKC").trim().toLowerCase();
  const create = (value: string | undefined, isWithinYear = false) =>
    value === undefined ? undefined : { text: value, isWithinYear };
  if (part === "weekday") return create(readWeekday(plain));
  if (part === "hour") return create(/^(\d{1,2})(?::00|时|点)?$/.exec(plain)?.[1]?.padStart(2, "0"));
  if (part === "year") return create(/^(\d{4})年?$/.exec(plain)?.[1]);
  if (part === "quarter" || part === "week") {
    const [all, year, number = ""] =
      /^(?:(\d{4})\s*[-年]?\s*)?(?:[qw]|第)?\s*(\d{1,2})\s*(?:季度|周)?$/.exec(plain) ?? [];
    if (all === undefined) return undefined;
    const tail = part === "quarter" ? number : number.padStart(2, "0");
    return year === undefined ? create(tail, true) : create(`${year}-${part === "quarter" ? "Q" : "W"}${tail}`);
  }
  const bare = /^(\d{1,2})(?:月|日)?$/.exec(plain)?.[1] ?? (part === "month" ? readMonth(plain) : undefined);
  if (bare !== undefined) return create(bare.padStart(2, "0"), true);
  const date = readDate(plain);
  return create(date && toDatePart(date, part));
}

/** Returns what is left of a part without its year. */
export function removeYear(part: string): string {
  return part.slice(part.lastIndexOf("-") + 1).replace(/^[QW]/, "");
}

function readWeekday(text: string): string | undefined {
  if (/^[1-7]$/.test(text)) return text;
  const english = text.length < 3 ? -1 : weekdayNames.findIndex((name) => name.startsWith(text));
  const chinese = "一二三四五六日天".indexOf(/^(?:周|星期|礼拜)([一二三四五六日天])$/.exec(text)?.[1] ?? "-");
  if (english >= 0) return String(english + 1);
  return chinese < 0 ? undefined : String(Math.min(chinese + 1, 7));
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

function readMonth(name = ""): string | undefined {
  const index = /^[a-z]{3,9}$/i.test(name) ? monthNames.indexOf(name.slice(0, 3).toLowerCase()) : -1;
  return index < 0 ? undefined : String(index + 1);
}

/** Returns undefined for a day that is not in the calendar, and a time that is not on the clock. */
function toWrittenDate(
  date: readonly (string | undefined)[],
  [hour, minute, second, half]: readonly (string | undefined)[] = [],
): WrittenDate | undefined {
  // Without a month of that name there is no date at all.
  if (date[1] === undefined && date[2] !== undefined) return undefined;
  const [year = 0, month = 1, day = 1] = date.map((part) => (part === undefined ? undefined : Number(part)));
  const there = new Date(Date.UTC(year, month - 1, day));
  if (there.getUTCMonth() !== month - 1 || there.getUTCDate() !== day) return undefined;
  const parts = date.filter((part) => part !== undefined).map(Number);
  if (hour === undefined || parts.length < 3) return parts;
  const shift = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const time = [shift, Number(minute), ...(second === undefined ? [] : [Number(second.replace(",", "."))])];
  return shift > 24 || Number(minute) > 59 ? undefined : [...parts, ...time];
}
