import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { unreadableDataError } from "../format-data/content.ts";
import { type Field, type Fields, normalizeText, type Row } from "./fields.ts";
import { readDate, readPartValue, removeYear } from "./read-date.ts";
import { readNumber } from "./read-number.ts";

export const comparisons = [
  "=",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "in",
  "not in",
  "contains",
  "not contains",
  "empty",
  "not empty",
] as const;

export type Comparison = (typeof comparisons)[number];

export interface Condition {
  column: string;
  op: Comparison;
  /** Holds one value, or the list of `in` and `not in`. */
  values: readonly string[];
}

/** Returns the rows that meet all conditions. */
export function filterRows(
  rows: readonly Row[],
  conditions: readonly Condition[],
  fields: Fields,
): { rows: readonly Row[]; notes: Text[] } {
  const notes: Text[] = [];
  let left = rows;
  for (const condition of conditions) {
    const field = fields.find(condition.column);
    const { test, countIncomparable } = createTest(condition, field);
    const before = left;
    left = before.filter(test);
    notes.push(...describeIncomparable(countIncomparable?.() ?? 0, condition, field));
    if (left.length === 0 && before.length > 0) notes.push(...describeNothing(before, condition, field));
  }
  return { rows: left, notes };
}

interface RowTest {
  test(row: Row): boolean;
  /** Counts the cells so far that are neither smaller nor larger than the value, because they are of another kind. */
  countIncomparable?(): number;
}

function createTest({ op, values }: Condition, field: Field): RowTest {
  const [value] = values;
  if (op === "empty" || op === "not empty") return { test: (row) => (field.readText(row) === "") === (op === "empty") };
  if (value === undefined && op !== "in" && op !== "not in") throw missingValueError(field.name, op);
  if (op === "contains" || op === "not contains") {
    const wanted = normalizeText(value ?? "");
    return { test: (row) => normalizeText(field.readText(row)).includes(wanted) === (op === "contains") };
  }
  const compares = values.map((each) => createCompare(each, field));
  if (op === "=" || op === "!=" || op === "in" || op === "not in") {
    const isWanted = op === "=" || op === "in";
    return { test: (row) => compares.some((compare) => compare(row) === 0) === isWanted };
  }
  let incomparable = 0;
  return {
    test(row) {
      const order = compares[0]?.(row);
      if (order === undefined) {
        if (!field.isEmpty(row)) incomparable++;
        return false;
      }
      if (op === "<") return order < 0;
      if (op === "<=") return order <= 0;
      return op === ">" ? order > 0 : order >= 0;
    },
    countIncomparable: () => incomparable,
  };
}

/** Compares a row with a value: negative when the row's cell comes first, undefined when the two cannot be compared. */
type Compare = (row: Row) => number | undefined;

/** A number is compared with numbers, a date with dates, and anything else with texts. */
function createCompare(value: string, field: Field): Compare {
  const { part } = field;
  if (part !== undefined) {
    const wanted = readPartValue(value, part);
    if (wanted === undefined) throw partValueError(field, value);
    return (row) => {
      const text = field.readText(row);
      return text === "" ? undefined : compareTexts(wanted.isWithinYear ? removeYear(text) : text, wanted.text);
    };
  }
  const number = readNumber(value)?.value;
  const date = readDate(value);
  const simple = normalizeText(value);
  return (row) => {
    const cell = number && field.readNumber(row);
    if (number !== undefined && cell !== undefined) return cell.value.compare(number);
    const there = date && field.readDate(row);
    // As far as the value goes: 2026-11 is every day of November.
    if (date !== undefined && there !== undefined && there.length >= date.length)
      return date.map((each, index) => (there[index] ?? 0) - each).find((rest) => rest !== 0) ?? 0;
    const text = normalizeText(field.readText(row));
    if (text === simple) return 0;
    return number !== undefined || date !== undefined || text === "" ? undefined : compareTexts(text, simple);
  };
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function describeIncomparable(count: number, { op, values }: Condition, field: Field): Text[] {
  if (count === 0) return [];
  const condition = `${op} ${showValue(values[0])}`;
  const zh = `${showValue(field.name)} 列有 ${count} 个单元格无法与 ${showValue(values[0])} 比较，这些行不算符合`;
  const cells = `${formatCount(count, "cell")} in ${showValue(field.name)}`;
  return [{ zh, en: `${cells} cannot be compared (${condition}); such rows do not match.` }];
}

/** Lists the values there are, since a value that no row has is often one that was spelt otherwise. */
function describeNothing(rows: readonly Row[], { op, values }: Condition, field: Field): Text[] {
  const known = [...new Set(rows.map((row) => field.readText(row)))].slice(0, 21);
  const list = known.slice(0, 20).map(showValue).join(", ") + (known.length > 20 ? ", …" : "");
  const shown = values.map(showValue).join(", ");
  return [
    {
      zh: `没有一行符合 ${field.name} ${op} ${shown}；该列的值：${list}`,
      en: `No row meets ${field.name} ${op} ${shown}; its values are: ${list}`,
    },
  ];
}

function missingValueError(name: string, op: Comparison): Error {
  return unreadableDataError(
    `where 中 ${showValue(name)} ${op} 缺少 value`,
    `The condition ${showValue(name)} ${op} in where lacks its value.`,
  );
}

function partValueError(field: Field, value: string): Error {
  const examples = { year: "2026", quarter: "2026-Q4, 4", month: "2026-11, 11", week: "2026-W47, 47" };
  const others = { day: "2026-11-20, 20", weekday: "Monday, 1", hour: "23" };
  const example = { ...examples, ...others }[field.part ?? "year"];
  return unreadableDataError(
    `${field.name} 不能与 ${showValue(value)} 比较（应如 ${example}）`,
    `${field.name} cannot be compared with ${showValue(value)} (write it like ${example}).`,
  );
}
