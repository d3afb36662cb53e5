import { CsvError, parse } from "csv-parse/sync";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { checkSize, type ParsedContent, readCell, unreadableDataError } from "./content.ts";

interface Line {
  record: string[];
  /** Is the last line of the record in the text, counted from 1. */
  line: number;
}

/** Matches the line that tells Excel the delimiter. */
export const namedDelimiter = /^sep=(.)[ \t]*(?:\r\n|\r|\n|$)/i;

/** Reads text with a delimiter between cells and quotes around those that need them. The first line names the columns. */
export function readDelimited(text: string, delimiter: string): ParsedContent {
  const [header, ...lines] = split(text, delimiter);
  if (header === undefined)
    throw unreadableDataError("没有数据：第一行应是列名", "There is no data: the first line names the columns.");
  return toReading(header.record, lines);
}

/** Detects the character between the cells of a CSV. Excel writes `;` in locales with a decimal comma. */
export function detectDelimiter(text: string): string {
  const [, named] = namedDelimiter.exec(text) ?? [];
  if (named !== undefined) return named;
  const first = text.slice(0, Math.max(0, text.search(/[\r\n]|$/))).replace(/"[^"]*"/g, "");
  return [",", ";", "，"].find((delimiter) => first.includes(delimiter)) ?? ",";
}

/** Rows with as many cells as there are columns; short ones are filled up, and told. */
export function toReading(header: readonly string[], lines: readonly Line[]): ParsedContent {
  const notes: Text[] = [];
  const columns = labelColumns(header, notes);
  const long = lines.find(({ record }) => record.length > columns.length);
  if (long !== undefined) {
    const { line, record } = long;
    const piece = showValue(record[columns.length]);
    throw unreadableDataError(
      `第 ${line} 行有 ${record.length} 个单元格，多于 ${columns.length} 列：多出的是 ${piece}（含分隔符的单元格要加引号）`,
      `Line ${line} has ${record.length} cells for ${columns.length} columns: ${piece} is one too many (a cell with the delimiter in it needs quotes)`,
    );
  }
  checkSize(lines.length, columns.length);
  const short = lines.filter(({ record }) => record.length < columns.length);
  if (short.length > 0) {
    const zh = `${short.length} 行缺少单元格，已补空，如第 ${short[0]?.line} 行`;
    notes.push({
      zh,
      en: `${short.length === 1 ? "1 row lacks cells and was" : `${short.length} rows lack cells and were`} filled up, such as line ${short[0]?.line}`,
    });
  }
  const rows = lines.map(({ record }) => columns.map((_, index) => readCell(record[index] ?? "")));
  return { content: { table: { columns, rows } }, notes };
}

/** Gives each column a distinct name. */
function labelColumns(header: readonly string[], notes: Text[]): string[] {
  const taken = new Set<string>();
  const next = new Map<string, number>();
  return header.map((cell, index) => {
    const wanted = cell.trim() === "" ? `column_${index + 1}` : cell.trim();
    let name = wanted;
    for (let again = next.get(wanted) ?? 2; taken.has(name); again++) {
      name = `${wanted}_${again}`;
      next.set(wanted, again + 1);
    }
    taken.add(name);
    if (name !== cell.trim() && notes.length < 10) {
      const zh = `第 ${index + 1} 列的列名 ${showValue(cell)} 改为 ${name}`;
      notes.push({ zh, en: `The name ${showValue(cell)} of column ${index + 1} became ${name}` });
    }
    return name;
  });
}

function split(text: string, delimiter: string): Line[] {
  try {
    const records: unknown[] = parse(text, {
      delimiter,
      bom: true,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      from_line: namedDelimiter.test(text) ? 2 : 1,
      on_record(record: string[], { invalid_field_length: uneven }) {
        if (uneven > mostUneven) throw tooUnevenError();
        return record;
      },
    });
    return records.map(readLine);
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    const line = Number(/at line (\d+)/.exec(thrown.message)?.[1] ?? thrown.lines ?? 0);
    const piece = showValue(text.split(/\r\n|\r|\n/)[line - 1] ?? "");
    const [zh, en] = reasons.get(thrown.code) ?? ["格式有误", "not valid"];
    throw unreadableDataError(`第 ${line} 行${zh}：${piece}`, `Line ${line}: ${en}: ${piece}`, thrown);
  }
}

function readLine(read: unknown): Line {
  const { record, info } = isRecord(read) ? read : {};
  return {
    record: Array.isArray(record) ? record.map(String) : [],
    line: isRecord(info) ? Number(info.lines) : 0,
  };
}

/** Rows with fewer or more cells than the first one: the parser is slow with those. */
const mostUneven = 20_000;

function tooUnevenError(): Error {
  const zh = `超过 ${mostUneven} 行的单元格数与第一行不同`;
  return unreadableDataError(zh, `More than ${mostUneven} lines do not have as many cells as the first one.`);
}

const reasons = new Map([
  ["CSV_QUOTE_NOT_CLOSED", ["引号没有结束", "a quote is not closed"]],
  ["CSV_INVALID_CLOSING_QUOTE", ["引号之后还有内容", "text after a closing quote"]],
]);
