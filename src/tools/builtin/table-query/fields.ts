import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { type Table, unreadableDataError, writeCell } from "../format-data/content.ts";
import {
  type DateOrder,
  type DatePart,
  dateParts,
  findDateOrder,
  readDate,
  toDatePart,
  type WrittenDate,
} from "./read-date.ts";
import { type CellNumber, type DecimalMark, findDecimalMark, readNumber } from "./read-number.ts";

export type Row = readonly (JsonValue | undefined)[];

/** Represents a column, or a part of the dates in it: `month(date)`. */
export interface Field {
  /** Is the name as it is shown: the column's own spelling. */
  name: string;
  column: string;
  part: DatePart | undefined;
  /** Returns the cell as text, empty when there is nothing, or no date to take a part of. */
  readText(row: Row): string;
  /** Returns undefined for what is no number, and for a part of a date. */
  readNumber(row: Row): CellNumber | undefined;
  readDate(row: Row): WrittenDate | undefined;
  isEmpty(row: Row): boolean;
}

export interface Fields {
  /** Lists the names of all columns of the table. */
  columns: readonly string[];
  /** Throws an error that lists the columns when the table has no such one. */
  find(name: string): Field;
  /** Tells what was assumed about dates. */
  notes: Text[];
}

const withPart = new RegExp(String.raw`^\s*(${dateParts.join("|")})\s*\(\s*([\s\S]+?)\s*\)\s*$`, "i");

export function createFields({ columns, rows }: Table): Fields {
  const notes: Text[] = [];
  const orders = new Map<number, DateOrder>();
  const numbers = new Map<number, Map<JsonValue, CellNumber | undefined>>();
  const marks = new Map<number, DecimalMark>();

  function findMark(index: number): DecimalMark {
    const mark = marks.get(index) ?? findDecimalMark(rows.map((row) => row[index]));
    marks.set(index, mark);
    return mark;
  }

  function findOrder(index: number): DateOrder {
    const known = orders.get(index);
    if (known !== undefined) return known;
    const found = findDateOrder(rows.map((row) => row[index]));
    if (found?.isGuessed) {
      const name = showValue(columns[index]);
      const example = showValue(rows.map((row) => row[index]).find((cell) => findDateOrder([cell]) !== undefined));
      notes.push({
        zh: `${name} 列的日期（如 ${example}）按“月/日/年”理解`,
        en: `Dates in ${name}, such as ${example}, were read as month/day/year.`,
      });
    }
    const order = found?.order ?? "month first";
    orders.set(index, order);
    return order;
  }

  /** A cell is read once: numbers repeat, and reading one takes longer than finding it. */
  function readNumberOnce(index: number, cell: JsonValue | undefined): CellNumber | undefined {
    if (typeof cell !== "number" && typeof cell !== "string") return undefined;
    const known = numbers.get(index) ?? new Map<JsonValue, CellNumber | undefined>();
    numbers.set(index, known);
    if (!known.has(cell)) known.set(cell, readNumber(cell, findMark(index)));
    return known.get(cell);
  }

  function createField(index: number, part: DatePart | undefined): Field {
    const column = columns[index] ?? "";
    const read = (row: Row) => readDate(row[index], findOrder(index));
    return {
      name: part === undefined ? column : `${part}(${column})`,
      column,
      part,
      readText(row) {
        if (part === undefined) return writeCell(row[index]).trim();
        const date = read(row);
        return (date && toDatePart(date, part)) ?? "";
      },
      readNumber: (row) => (part === undefined ? readNumberOnce(index, row[index]) : undefined),
      readDate: read,
      isEmpty: (row) => writeCell(row[index]).trim() === "",
    };
  }

  return {
    columns,
    notes,
    find(name) {
      const own = findColumn(columns, name);
      if (own >= 0) return createField(own, undefined);
      const [, partName = "", inner = ""] = withPart.exec(name) ?? [];
      const part = dateParts.find((each) => each === partName.toLowerCase());
      const index = part === undefined ? -1 : findColumn(columns, inner);
      if (index >= 0) return createField(index, part);
      throw unknownColumnError(part === undefined ? name : inner, columns);
    },
  };
}

/** Finds a column by its name, or by a name that differs only in case, width or blanks when there is one such column. */
function findColumn(columns: readonly string[], name: string): number {
  const exact = columns.indexOf(name);
  if (exact >= 0) return exact;
  const wanted = normalizeText(name);
  const fitting = columns.flatMap((column, index) => (normalizeText(column) === wanted ? [index] : []));
  return fitting.length === 1 ? (fitting[0] ?? -1) : -1;
}

/** Returns the text in a form in which case, width and outer blanks make no difference. */
export function normalizeText(text: string): string {
  return text.normalize("NFKC").trim().toLowerCase();
}

function unknownColumnError(name: string, columns: readonly string[]): Error {
  const known = listNames(columns);
  const parts = dateParts.join(", ");
  return unreadableDataError(
    `没有名为 ${showValue(name)} 的列（有：${known}；日期可取其部分，如 month(列名)：${parts}）`,
    `There is no column ${showValue(name)} (available: ${known}; of a date also a part, as in month(column): ${parts}).`,
  );
}

export function listNames(names: readonly string[]): string {
  const more = names.length > 50 ? ", …" : "";
  return names.slice(0, 50).map(showValue).join(", ") + more;
}
