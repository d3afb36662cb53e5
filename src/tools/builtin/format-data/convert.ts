// Loads the parsers of all formats: whoever needs this file imports it when first needed.
import { stringify as stringifyCsv } from "csv-stringify/sync";
import { stringify as stringifyYaml } from "yaml";
import { isDeeperThan, type JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { writeCell } from "./cells.ts";
import { type DataFormat, type Reading, type Table, unreadableDataError } from "./content.ts";
import { detectFormat } from "./detect.ts";
import { removeFence } from "./fence.ts";
import { describeLosses } from "./losses.ts";
import { readMarkdown, writeMarkdown } from "./markdown.ts";
import { readJson } from "./read-json.ts";
import { detectDelimiter, readDelimited } from "./read-table.ts";
import { readYaml } from "./read-yaml.ts";
import { pickColumns, toTable } from "./tables.ts";
import { toMaps, writeJsonRows } from "./write-rows.ts";

export interface Conversion {
  data: string;
  /** Recognised when absent. */
  from: DataFormat | undefined;
  to: DataFormat;
  /** Blanks a level of JSON or YAML. */
  indent: number | undefined;
  columns: readonly string[] | undefined;
}

export interface Converted {
  from: DataFormat;
  text: string;
  /** Of a table. */
  size: { rows: number; columns: number } | undefined;
  notes: Text[];
}

const deepest = 100;
/** Characters of what is written: repeated names and blanks may make a large one of a small text. */
const longest = 10_000_000;

/** Reads data in one format and writes it in another, or tidily in the same. Throws a `DuetError` that names the place of a fault. */
export function convert({ data, from, to, indent, columns }: Conversion): Converted {
  const text = removeFence(data.replace(/^\ufeff/, ""));
  if (text.trim() === "") throw unreadableDataError("data 是空的", "data is empty.");
  const format = from ?? detectFormat(text);
  const { content, notes } = read(text, format);
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

function read(text: string, format: DataFormat): Reading {
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

/** What older readers take for true or false is quoted; YAML cannot do without blanks, so at least one a level. */
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
