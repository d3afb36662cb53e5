import { showValue } from "../../../core/tools/argument-feedback.ts";
import { getOwnValue, isRecord, type JsonObject, type JsonValue } from "../../../kit/json.ts";
import { type Content, checkSize, type Table, unreadableDataError } from "./content.ts";

/** The rows of a value: a list of objects or of lists, or one object. Throws what names the place that is none. */
export function toTable(content: Content): Table {
  if ("table" in content) return content.table;
  const { value, names = [] } = content;
  if (Array.isArray(value)) return value.some(Array.isArray) ? ofLists(value) : ofObjects(value, names);
  if (!isRecord(value)) throw notRows("", value);
  const list = Object.entries(value).find(([, inner]) => Array.isArray(inner) && inner.some(isRecord));
  if (list === undefined) return ofObjects([value], names);
  const key = showValue(list[0]);
  throw unreadableDataError(
    `数据是一个对象，不是若干行；要转换的列表似乎在 ${key} 之下，请只传入那个列表`,
    `The data is one object, not rows; the list to convert seems to be under ${key}: pass only that list.`,
  );
}

/** These columns in this order. Throws for one that is not there. */
export function pickColumns({ columns, rows }: Table, wanted: readonly string[]): Table {
  const indices = wanted.map((name) => columns.indexOf(name));
  const missing = wanted.find((_, index) => indices[index] === -1);
  if (missing === undefined)
    return { columns: [...wanted], rows: rows.map((row) => indices.map((index) => row[index])) };
  const known = columns.slice(0, 50).map(showValue).join(", ");
  throw unreadableDataError(
    `没有名为 ${showValue(missing)} 的列（有：${known}）`,
    `There is no column ${showValue(missing)} (there are: ${known}).`,
  );
}

/** An object puts names like 2026 first, so the order of its columns comes from the text. */
function ofObjects(list: readonly JsonValue[], names: readonly string[]): Table {
  const objects = list.map((item, index): JsonObject => {
    if (isRecord(item)) return item;
    throw notRows(`[${index}]`, item);
  });
  const known = new Set(objects.flatMap((item) => Object.keys(item)));
  const columns = [...new Set([...names.filter((name) => known.has(name)), ...known])];
  checkSize(objects.length, columns.length);
  return { columns, rows: objects.map((item) => columns.map((name) => getOwnValue(item, name))) };
}

/** The first list names the columns if it holds nothing but different texts. */
function ofLists(list: readonly JsonValue[]): Table {
  const lists = list.map((item, index): JsonValue[] => {
    if (Array.isArray(item)) return item;
    throw notRows(`[${index}]`, item);
  });
  const [first = [], ...rest] = lists;
  const width = lists.reduce((most, row) => Math.max(most, row.length), 0);
  checkSize(lists.length, width);
  const isHeader = first.every((cell) => typeof cell === "string") && new Set(first).size === width;
  const columns = isHeader ? first.map(String) : Array.from({ length: width }, (_, index) => `column_${index + 1}`);
  return { columns, rows: (isHeader ? rest : lists).map((row) => columns.map((_, index) => row[index])) };
}

function notRows(path: string, value: JsonValue): Error {
  const shown = showValue(value);
  return unreadableDataError(
    `${path === "" ? "数据" : path} 是 ${shown}：表格需要由对象（或列表）组成的列表`,
    `${path === "" ? "The data" : path} is ${shown}: a table needs a list of objects or of lists.`,
  );
}
