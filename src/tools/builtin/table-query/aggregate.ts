import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { createFraction, type Fraction, round, toNumber } from "../calculator/fraction.ts";
import { statistics } from "../calculator/statistics.ts";
import { unreadableDataError } from "../format-data/content.ts";
import { type Field, type Fields, listNames, type Row } from "./fields.ts";
import type { CellNumber } from "./read-number.ts";

export const operations = ["count", "sum", "avg", "mean", "min", "max", "median", "distinct", "share"] as const;

export type Operation = (typeof operations)[number];

export interface Aggregate {
  op: Operation;
  /** Is absent for a `count` of rows. */
  column: string | undefined;
}

export interface Aggregator {
  /** Is `sum(amount)`, or `count`. */
  label: string;
  compute(rows: readonly Row[]): AggregateValue;
}

export interface AggregateValue {
  shown: string;
  /** Orders the values: a number, or a text that sorts as it should. It is undefined when there is no value. */
  key: Fraction | string | undefined;
  isRounded: boolean;
}

const none: AggregateValue = { shown: "-", key: undefined, isRounded: false };

/** Prepares an aggregate of these rows. */
export function createAggregator({ op, column }: Aggregate, rows: readonly Row[], fields: Fields): Aggregator {
  if (column === undefined) {
    if (op === "share") return createShare(op, rows, (group) => createFraction(BigInt(group.length)));
    if (op !== "count") throw missingColumnError(op);
    return { label: "count", compute: (group) => toValue(createFraction(BigInt(group.length))) };
  }
  const field = fields.find(column);
  const label = `${op}(${field.name})`;
  const count = (size: number) => toValue(createFraction(BigInt(size)));
  if (op === "count") return { label, compute: (group) => count(group.filter((row) => !isBlank(row, field)).length) };
  if (op === "distinct") {
    return {
      label,
      compute: (group) => count(new Set(group.map((row) => field.readText(row)).filter((text) => text !== "")).size),
    };
  }
  const isNumeric = rows.some((row) => field.readNumber(row) !== undefined);
  if (!isNumeric && (op === "min" || op === "max")) return { label, compute: (group) => findExtreme(group, field, op) };
  if (!isNumeric && rows.length > 0) throw noNumbersError(field, rows, fields);
  if (op === "share") return createShare(label, rows, (group) => sumNumbers(group, field));
  const calculate = statistics[op === "avg" ? "mean" : op];
  return {
    label,
    compute(group) {
      const list = group.flatMap((row) => field.readNumber(row)?.value ?? []);
      const value = list.length === 0 ? undefined : calculate(list);
      return value === undefined || typeof value === "number" ? none : toValue(value);
    },
  };
}

/** Gives the share of a group in the value of all rows, in percent. */
function createShare(label: string, rows: readonly Row[], measure: (rows: readonly Row[]) => Fraction): Aggregator {
  const all = measure(rows);
  return {
    label,
    compute(group) {
      if (all.n === 0n) return none;
      const value = toValue(measure(group).mul(100).div(all));
      return { ...value, shown: `${value.shown}%` };
    },
  };
}

function sumNumbers(rows: readonly Row[], field: Field): Fraction {
  const list = rows.flatMap((row) => field.readNumber(row)?.value ?? []);
  const sum = list.length === 0 ? undefined : statistics.sum(list);
  return sum === undefined || typeof sum === "number" ? createFraction(0n) : sum;
}

function isBlank(row: Row, field: Field): boolean {
  return field.readText(row) === "";
}

/** Finds the first or last date, or text when they are no dates. */
function findExtreme(rows: readonly Row[], field: Field, op: "min" | "max"): AggregateValue {
  let best: { shown: string; key: string } | undefined;
  const areDates = field.part === undefined && rows.some((row) => field.readDate(row) !== undefined);
  for (const row of rows) {
    const shown = field.readText(row);
    const date = areDates ? field.readDate(row) : undefined;
    if (shown === "" || (areDates && date === undefined)) continue;
    const key = date?.map((part) => part.toFixed(9).padStart(15, "0")).join(" ") ?? shown;
    if (best === undefined || (op === "min" ? key < best.key : key > best.key)) best = { shown, key };
  }
  return best === undefined ? none : { ...best, isRounded: false };
}

const mostDecimals = 6;

/** Writes every digit where they end after a few decimals, and rounds to six decimals where they do not. */
function toValue(value: Fraction): AggregateValue {
  for (const places of [0, 2, 4, mostDecimals, 10]) {
    if ((value.n * 10n ** BigInt(places)) % value.d === 0n)
      return { shown: writeDecimal(value, places), key: value, isRounded: false };
  }
  const shown =
    value.n * 1000n < value.d
      ? String(Number(toNumber(value).toPrecision(6)))
      : writeDecimal(round(value, mostDecimals), mostDecimals);
  return { shown, key: value, isRounded: true };
}

function writeDecimal(value: Fraction, places: number): string {
  const digits = String((value.n * 10n ** BigInt(places)) / value.d).padStart(places + 1, "0");
  const point = digits.length - places;
  const text = places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, "");
  return value.s < 0n && value.n !== 0n ? `-${text}` : text;
}

const needNumbers = new Set<Operation>(["sum", "share", "avg", "mean", "median", "min", "max"]);

/** Tells for each column that numbers were taken from what was taken as a number, and how many cells were not. */
export function describeNumbers(aggregates: readonly Aggregate[], rows: readonly Row[], fields: Fields): Text[] {
  const names = aggregates.flatMap(({ op, column }) => (column !== undefined && needNumbers.has(op) ? [column] : []));
  const known = new Map(names.map((name) => fields.find(name)).map((field) => [field.name, field]));
  return [...known.values()].flatMap((field) => describeColumn(field, rows));
}

function describeColumn(field: Field, rows: readonly Row[]): Text[] {
  const name = showValue(field.name);
  const numbers = rows.map((row) => field.readNumber(row));
  if (numbers.every((number) => number === undefined)) return [];
  const notes: Text[] = [];
  const blank = rows.filter((row) => isBlank(row, field)).length;
  const strange = rows.filter((row, index) => numbers[index] === undefined && !isBlank(row, field));
  const cells = formatCount(rows.length, "cell");
  if (strange.length > 0) {
    const examples = [...new Set(strange.map((row) => field.readText(row)))].slice(0, 3).map(showValue).join(", ");
    notes.push({
      zh: `${name} 列的 ${rows.length} 个单元格中有 ${strange.length} 个不是数字（如 ${examples}），未计入`,
      en: `${strange.length} of ${cells} in ${name} ${strange.length === 1 ? "is not a number" : "are not numbers"} (such as ${examples}); left out.`,
    });
  }
  if (blank > 0) {
    const zh = `${name} 列的 ${rows.length} 个单元格中有 ${blank} 个为空，未计入`;
    notes.push({ zh, en: `${blank} of ${cells} in ${name} ${blank === 1 ? "is" : "are"} empty; left out.` });
  }
  return [...notes, ...describeForms(field, rows, numbers)];
}

function describeForms(field: Field, rows: readonly Row[], numbers: readonly (CellNumber | undefined)[]): Text[] {
  const name = showValue(field.name);
  const examples = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const number = numbers[index];
    const text = field.readText(row);
    const form = text.normalize("NFKC").replace(/[\d.]+/g, "0");
    if (number?.isInterpreted && examples.size < 4 && !examples.has(form))
      examples.set(form, `${showValue(text)} = ${toValue(number.value).shown}`);
  }
  const list = [...examples.values()].join(", ");
  const currencies = new Set(numbers.flatMap((number) => number?.currency?.toUpperCase() ?? []));
  return [
    ...(list === "" ? [] : [{ zh: `${name} 列读作数字：${list}`, en: `Taken as numbers in ${name}: ${list}` }]),
    ...(currencies.size > 1
      ? [
          {
            zh: `${name} 列有不同的货币（${[...currencies].join("、")}），未作换算`,
            en: `${name} has different currencies (${[...currencies].join(", ")}); they were not converted.`,
          },
        ]
      : []),
  ];
}

function missingColumnError(op: Operation): Error {
  return unreadableDataError(
    `aggregate 中的 ${op} 缺少 column（只有 count 和 share 可以没有）`,
    `The operation ${op} in aggregate lacks its column (only count and share may have none).`,
  );
}

function noNumbersError(field: Field, rows: readonly Row[], fields: Fields): Error {
  const numeric = fields.columns.filter((name) => {
    const other = fields.find(name);
    return rows.some((row) => other.readNumber(row) !== undefined);
  });
  const known = listNames(numeric) || "-";
  const examples = [...new Set(rows.slice(0, 100).map((row) => field.readText(row)))]
    .slice(0, 3)
    .map(showValue)
    .join(", ");
  return unreadableDataError(
    `${showValue(field.name)} 列没有数字（如 ${examples}）；有数字的列：${known}`,
    `No cell in ${showValue(field.name)} is a number (such as ${examples}); columns with numbers: ${known}.`,
  );
}
