import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import type { Field, Fields, Row } from "./fields.ts";
import type { WrittenDate } from "./read-date.ts";

/** Holds the dates of some rows: the first, the last, and the months that have any, as `2026-11`. */
interface Span {
  first: string;
  last: string;
  months: ReadonlySet<string>;
  rows: number;
}

/** Limits the groups whose spans are listed. Beyond them, the span of all rows is given. */
const mostSpans = 12;

/**
 * Tells from when to when the rows of each group are, where the table has dates: who compares two years must see that one of
 * them ends in October. `used` names the fields of the query, among which a part of a date tells which column counts.
 */
export function describeSpans(
  { by, used, fields }: { by: readonly Field[]; used: readonly Field[]; fields: Fields },
  rows: readonly Row[],
): Text[] {
  const dates = findDates(used, fields, rows);
  const whole = dates && findSpan(rows, dates);
  if (dates === undefined || whole === undefined) return [];
  const name = showValue(dates.column);
  const years = by.find(({ part, column }) => part === "year" && column === dates.column);
  const isByDate = by.some(
    ({ part, column }) => (part !== undefined || column === dates.name) && column === dates.column,
  );
  const field = years ?? (isByDate ? undefined : by[0]);
  const spans = field === undefined ? [] : listSpans(rows, field, dates);
  const isSame = years === undefined ? hasOneExtent(spans) : hasSameMonths(spans);
  if (spans.length < 2 || spans.length > mostSpans || (years === undefined && isSame)) {
    const { zh, en } = showSpan(whole);
    return [{ zh: `${name} 列的日期：${zh}`, en: `Dates in ${name}: ${en}.` }];
  }
  const shown = spans.map(([value, span]) => ({ value: value || "-", text: showSpan(span) }));
  const zh = shown.map(({ value, text }) => `${value}：${text.zh}`).join("；");
  const en = shown.map(({ value, text }) => `${value}: ${text.en}`).join("; ");
  return [
    {
      zh: `${name} 列的日期：${zh}${isSame ? "" : "。各组的月份不同，比较时请注意"}`,
      en: `Dates in ${name}: ${en}.${isSame ? "" : " They do not cover the same months; mind this when comparing them."}`,
    },
  ];
}

/** Returns the column whose part the query uses, else the first that is filled with dates. */
function findDates(used: readonly Field[], fields: Fields, rows: readonly Row[]): Field | undefined {
  const named = used.find(({ part }) => part !== undefined);
  if (named !== undefined) return fields.find(named.column);
  const sample = rows.slice(0, 50);
  return fields.columns.map((column) => fields.find(column)).find((field) => isOfDates(sample, field));
}

/** A bare number may be a year or an amount, and is taken for neither. */
function isOfDates(rows: readonly Row[], field: Field): boolean {
  const filled = rows.filter((row) => !field.isEmpty(row));
  const dates = filled.filter((row) => !/^[\d.]+$/.test(field.readText(row)) && (field.readDate(row)?.length ?? 0) > 1);
  return filled.length > 0 && dates.length >= 0.9 * filled.length;
}

/** Returns the values of a field in order, with the span of the rows of each. */
function listSpans(rows: readonly Row[], field: Field, dates: Field): [string, Span][] {
  return [...Map.groupBy(rows, (row) => field.readText(row))]
    .flatMap(([value, members]): [string, Span][] => {
      const span = findSpan(members, dates);
      return span === undefined ? [] : [[value, span]];
    })
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function findSpan(rows: readonly Row[], dates: Field): Span | undefined {
  const found = new Map<string, Set<string>>();
  let count = 0;
  for (const row of rows) {
    const date = dates.readDate(row);
    if (date === undefined || date.length < 2) continue;
    count++;
    const month = writeDate(date.slice(0, 2));
    const days = found.get(month) ?? new Set();
    found.set(month, days.add(writeDate(date.slice(0, 3))));
  }
  const months = [...found.keys()].sort();
  const [firstMonth, lastMonth] = [months[0], months.at(-1)].map((month) => [...(found.get(month ?? "") ?? [])].sort());
  const [first, last] = [firstMonth?.[0], lastMonth?.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { first, last, months: new Set(months), rows: count };
}

function writeDate(date: WrittenDate): string {
  return date.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0")).join("-");
}

/** Years are compared by their months alone. */
function hasSameMonths(spans: readonly [string, Span][]): boolean {
  const covered = spans.map(([, { months }]) => [...months].map((month) => month.slice(5)).join());
  return new Set(covered).size < 2;
}

/** Other groups need not have rows in each month. */
function hasOneExtent(spans: readonly [string, Span][]): boolean {
  return new Set(spans.map(([, { first, last }]) => `${first.slice(0, 7)} ${last.slice(0, 7)}`)).size < 2;
}

function showSpan({ first, last, months, rows }: Span): Text {
  return {
    zh: `${first} 至 ${last}（${rows} 行，${months.size} 个月）`,
    en: `${first} to ${last} (${formatCount(rows, "row")} in ${formatCount(months.size, "month")})`,
  };
}
