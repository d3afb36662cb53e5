// Loads the parsers of all formats: whoever needs this file imports it when first needed.
import { stringify as stringifyCsv } from "csv-stringify/sync";
import { stringify as stringifyYaml } from "yaml";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { getOwnValue, isDeeperThan, isRecord, type JsonObject, type JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import {
  type Content,
  checkSize,
  type DataFormat,
  type ParsedContent,
  readCell,
  type Table,
  unreadableDataError,
  writeCell,
} from "./content.ts";
import { findRule, readMarkdown, writeMarkdown } from "./markdown.ts";
import { readJson } from "./read-json.ts";
import { detectDelimiter, namedDelimiter, readDelimited } from "./read-table.ts";
import { readYaml } from "./read-yaml.ts";

export interface Conversion {
  data: string;
  /** Is the ending of the file's name in lower case, such as `csv`. It is empty when there is no name. */
  ending: string;
  /** The format is found by the ending or detected when it is absent. */
  from: DataFormat | undefined;
  to: DataFormat;
  /** Counts the spaces of indentation per level of JSON or YAML. */
  indent: number | undefined;
  columns: readonly string[] | undefined;
}

export interface ConvertedText {
  from: DataFormat;
  text: string;
  /** Is set for tables only. */
  size: { rows: number; columns: number } | undefined;
  notes: Text[];
}

const deepest = 100;

/** Limits the output, in characters. Repeated names and indentation may make a small text large. */
const longest = 10_000_000;

/** Reads data in one format and writes it in another, or tidily in the same. Throws a `DuetError` that names the place of a fault. */
export function convert({ data, ending, from, to, indent, columns }: Conversion): ConvertedText {
  const text = removeFence(data.replace(/^\ufeff/, ""));
  if (text.trim() === "") throw unreadableDataError("data 是空的", "data is empty.");
  const format = from ?? findFormat(text, ending);
  const { content, notes } = readContent(text, format);
  if ("value" in content && isDeeperThan(content.value, deepest))
    throw unreadableDataError(`数据嵌套超过 ${deepest} 层`, `The data is nested more than ${deepest} levels deep.`);
  const isForCells = to === "csv" || to === "tsv" || to === "markdown";
  const isForTable = isForCells || columns !== undefined;
  const whole = isForTable || "table" in content ? toTable(content) : undefined;
  const table = whole && columns ? pickColumns(whole, columns) : whole;
  if (table !== undefined && table.columns.length === 0)
    throw unreadableDataError("数据没有列", "The data has no columns.");
  const value: JsonValue = "value" in content ? content.value : null;
  if (table !== undefined && isForCells) notes.push(...describeLosses(table));
  const size = table && { rows: table.rows.length, columns: table.columns.length };
  const written = write(value, table, to, indent);
  if (written.length > longest) {
    const zh = `结果过大：${written.length} 个字符，最多 ${longest}`;
    throw unreadableDataError(zh, `The result is too large: ${written.length} characters; at most ${longest}.`);
  }
  return { from: format, text: written, size, notes };
}

/** Reads data of a known format. Throws a `DuetError` that names the place of a fault. */
export function readContent(text: string, format: DataFormat): ParsedContent {
  switch (format) {
    case "json":
      return readJson(text);
    case "yaml":
      return readYaml(text);
    case "csv":
      return readDelimited(text, detectDelimiter(text));
    case "tsv":
      return readDelimited(text, "\t");
    case "markdown":
      return readMarkdown(text);
  }
}

function write(value: JsonValue, table: Table | undefined, to: DataFormat, indent = 2): string {
  if (to === "json") return table ? writeJsonRows(table, indent) : JSON.stringify(value, undefined, indent);
  if (to === "yaml") return writeYaml(table ? toMaps(table) : value, indent);
  const rows = table ?? toTable({ value });
  return to === "markdown" ? writeMarkdown(rows) : writeDelimited(rows, to === "csv" ? "," : "\t");
}

/** Quotes what older readers take for true or false. YAML needs indentation, so each level has at least one space. */
function writeYaml(value: JsonValue | Map<string, JsonValue>[], indent: number): string {
  const options = {
    indent: Math.max(1, indent),
    lineWidth: 0,
    aliasDuplicateObjects: false,
    compat: "yaml-1.1" as const,
  };
  return stringifyYaml(value, options).trimEnd();
}

function writeDelimited({ columns, rows }: Table, delimiter: string): string {
  const cells = [columns, ...rows.map((row) => row.map(writeCell))];
  // An empty line would not be read back as a row.
  const quotes = { quoted_empty: columns.length === 1, quoted_match: /[\r\n]|^\s|\s$/ };
  // Only the last line end is left out: tabs before it are empty cells.
  return stringifyCsv(cells, { delimiter, eof: false, ...quotes });
}

/** Returns the text inside a Markdown fence when there is nothing else, because models put a fence around what they quote. */
export function removeFence(text: string): string {
  return /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1\s*$/.exec(text)?.[2] ?? text;
}

/** Writes the rows as JSON with the columns in their order. An object would not keep that order for names like 2026. */
export function writeJsonRows({ columns, rows }: Table, indent: number): string {
  const [line, colon] = indent === 0 ? ["", ":"] : ["\n", ": "];
  const pad = (level: number): string => " ".repeat(indent * level);
  const write = (value: JsonValue): string => JSON.stringify(value, undefined, indent).replaceAll("\n", `\n${pad(2)}`);
  const list = rows.map((row) => {
    const cells = columns.flatMap((name, index) => {
      const cell = row[index];
      return cell === undefined ? [] : [`${pad(2)}${JSON.stringify(name)}${colon}${write(cell)}`];
    });
    return cells.length === 0 ? `${pad(1)}{}` : `${pad(1)}{${line}${cells.join(`,${line}`)}${line}${pad(1)}}`;
  });
  return list.length === 0 ? "[]" : `[${line}${list.join(`,${line}`)}${line}]`;
}

/** Converts the rows for a writer that keeps the order of a map. */
export function toMaps({ columns, rows }: Table): Map<string, JsonValue>[] {
  return rows.map((row) => {
    const entries = columns.map((name, index): [string, JsonValue | undefined] => [name, row[index]]);
    return new Map(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
  });
}

const formats = new Map<string, DataFormat>([
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["tab", "tsv"],
  ["json", "json"],
  ["jsonl", "json"],
  ["ndjson", "json"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["md", "markdown"],
]);

/** A file named .csv may still have tabs between its cells. */
export function findFormat(text: string, ending: string): DataFormat {
  const format = formats.get(ending);
  const [first = ""] = text.split(/[\r\n]/, 1);
  if (format === "csv" && first.includes("\t") && !/[,;，]/.test(first)) return "tsv";
  return format ?? detectFormat(text);
}

/** Detects the most likely format of a text. Throws when it resembles none. */
function detectFormat(text: string): DataFormat {
  const trimmed = text.trim();
  const lines = trimmed.split(/\r\n|\r|\n/, 2000).filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  if (/^[{[]/.test(trimmed) || isJson(trimmed)) return "json";
  if (findRule(lines) > 0) return "markdown";
  if (/^(---|%YAML|#)|^\s*-\s|^\s*("[^"]*"|'[^']*'|[^\s,;，"'][^,;，\t]*?):(\s|$)/.test(first)) return "yaml";
  if (namedDelimiter.test(trimmed)) return "csv";
  if (first.includes("\t")) return "tsv";
  if (/[,;，]/.test(first)) return "csv";
  if (lines.length > 1 && lines.every((line) => !/[:[\]{}]/.test(line))) return "csv";
  const piece = showValue(first);
  throw unreadableDataError(
    `看不出数据的格式（开头是 ${piece}）；format_data 可以用 from 指明`,
    `The format is not clear (it begins with ${piece}); format_data can be told it in from.`,
  );
}

function isJson(text: string): boolean {
  if (!/^["\d-]|^(true|false|null)$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Describes what is lost when a table is written as text cells and read back. */
export function describeLosses({ columns, rows }: Table): Text[] {
  const cells = [columns, ...rows].flat();
  const losses: [(cell: JsonValue | undefined) => boolean, string, string][] = [
    [
      isTyped,
      "个文本看起来像数字或真假值，读回时不再是文本",
      "texts look like numbers or true and false, and are read back as such",
    ],
    [(cell) => cell === null, "个 null 写成了空单元格", "null became empty cells"],
    [isBroken, "个文本含不成对的代理字符，会变成 \ufffd", "texts hold half a character, which becomes \ufffd"],
  ];
  return losses.flatMap(([isLost, zh, en]): Text[] => {
    const lost = cells.filter(isLost);
    if (lost.length === 0) return [];
    const example = lost[0] === null ? "" : showValue(lost[0]);
    return [
      {
        zh: `${lost.length} ${zh}${example && `，如 ${example}`}`,
        en: `${lost.length} ${en}${example && `, such as ${example}`}`,
      },
    ];
  });
}

function isTyped(cell: JsonValue | undefined): boolean {
  return typeof cell === "string" && typeof readCell(cell) !== "string";
}

function isBroken(cell: JsonValue | undefined): boolean {
  return typeof cell === "string" && !cell.isWellFormed();
}

/**
 * Converts a list of objects, a list of lists, or one object to a table. Throws an error that names the first item that does not
 * fit.
 */
export function toTable(content: Content): Table {
  if ("table" in content) return content.table;
  const { value, names = [] } = content;
  if (Array.isArray(value)) return value.some(Array.isArray) ? fromLists(value) : fromObjects(value, names);
  if (!isRecord(value)) throw notRowsError("", value);
  const list = Object.entries(value).find(([, inner]) => Array.isArray(inner) && inner.some(isRecord));
  if (list === undefined) return fromObjects([value], names);
  const key = showValue(list[0]);
  throw unreadableDataError(
    `数据是一个对象，不是若干行；要转换的列表似乎在 ${key} 之下，请只传入那个列表`,
    `The data is one object, not rows; the list to convert seems to be under ${key}: pass only that list.`,
  );
}

/** Keeps only these columns, in this order. Throws for a column that does not exist. */
export function pickColumns({ columns, rows }: Table, wanted: readonly string[]): Table {
  const indices = wanted.map((name) => columns.indexOf(name));
  const missing = wanted.find((_, index) => indices[index] === -1);
  if (missing === undefined)
    return { columns: [...wanted], rows: rows.map((row) => indices.map((index) => row[index])) };
  const known = columns.slice(0, 50).map(showValue).join(", ");
  throw unreadableDataError(
    `没有名为 ${showValue(missing)} 的列（有：${known}）`,
    `There is no column ${showValue(missing)} (available: ${known}).`,
  );
}

/** An object sorts names like 2026 first, so the order of its columns is taken from the text. */
function fromObjects(list: readonly JsonValue[], names: readonly string[]): Table {
  const objects = list.map((item, index): JsonObject => {
    if (isRecord(item)) return item;
    throw notRowsError(`[${index}]`, item);
  });
  const known = new Set(objects.flatMap((item) => Object.keys(item)));
  const columns = [...new Set([...names.filter((name) => known.has(name)), ...known])];
  checkSize(objects.length, columns.length);
  return { columns, rows: objects.map((item) => columns.map((name) => getOwnValue(item, name))) };
}

/** Uses the first list as column names if it holds only distinct texts. */
function fromLists(list: readonly JsonValue[]): Table {
  const lists = list.map((item, index): JsonValue[] => {
    if (Array.isArray(item)) return item;
    throw notRowsError(`[${index}]`, item);
  });
  const [first = [], ...rest] = lists;
  const width = lists.reduce((most, row) => Math.max(most, row.length), 0);
  checkSize(lists.length, width);
  const isHeader = first.every((cell) => typeof cell === "string") && new Set(first).size === width;
  const columns = isHeader ? first.map(String) : Array.from({ length: width }, (_, index) => `column_${index + 1}`);
  return { columns, rows: (isHeader ? rest : lists).map((row) => columns.map((_, index) => row[index])) };
}

function notRowsError(path: string, value: JsonValue): Error {
  const shown = showValue(value);
  return unreadableDataError(
    `${path === "" ? "数据" : path} 是 ${shown}：表格需要由对象（或列表）组成的列表`,
    `${path === "" ? "The data" : path} is ${shown}: a table needs a list of objects or of lists.`,
  );
}
