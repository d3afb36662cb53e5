import { showValue } from "../../../core/tools/argument-feedback.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";

export const dataFormats = ["json", "yaml", "csv", "tsv", "markdown"] as const;

export type DataFormat = (typeof dataFormats)[number];

/** Holds rows under columns. A cell that a row does not have is undefined. */
export interface Table {
  columns: string[];
  rows: (JsonValue | undefined)[][];
}

/** Holds a table, or any other data as a value with the names of its outermost objects in the order of the text. */
export type Content = { table: Table } | { value: JsonValue; names?: readonly string[] };

export interface ParsedContent {
  content: Content;
  /** Tells the reader what was changed or assumed while reading. */
  notes: Text[];
}

/** Explains why data cannot be read or written. The text gives the position and the part concerned. */
export function unreadableDataError(zh: string, en: string, cause?: unknown): DuetError {
  return new DuetError({ code: "tool", text: { zh, en }, cause });
}

/** Limits the cells of a table. Short rows are filled up, so that a small text may ask for a very large table. */
const mostCells = 1_000_000;

/** Throws for a table that is too large to be built. */
export function checkSize(rows: number, columns: number): void {
  if (rows * columns <= mostCells) return;
  const zh = `表格过大：${rows} 行 × ${columns} 列，最多 ${mostCells} 个单元格`;
  throw unreadableDataError(
    zh,
    `The table is too large: ${rows} rows by ${columns} columns; at most ${mostCells} cells.`,
  );
}

/** Describes an offset by its line and column, both from 1, and shows the text around it. */
export function describePosition(text: string, offset: number): Text {
  const start = text.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
  const line = text.slice(0, start).split("\n").length;
  const next = text.indexOf("\n", offset);
  const column = offset - start + 1;
  const piece = showValue(text.slice(Math.max(start, offset - 20), next < 0 ? undefined : next).slice(0, 60));
  return { zh: `第 ${line} 行第 ${column} 列，${piece} 处`, en: `line ${line}, column ${column}, at ${piece}` };
}

/**
 * Reads a cell's text. It becomes a number only if that number would be written the same way, with at most 15 digits, so that
 * 007, 1.50 and identity card numbers stay text.
 */
export function readCell(text: string): JsonValue {
  if (text === "true") return true;
  if (text === "false") return false;
  if (!/^-?\d+(\.\d+)?$/.test(text) || text.replace(/\D/g, "").length > 15) return text;
  const value = Number(text);
  return String(value) === text ? value : text;
}

/** Writes a value as cell text. Nested values become JSON, and missing ones become empty. */
export function writeCell(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
