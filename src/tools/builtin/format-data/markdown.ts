import type { Text } from "../../../kit/locale.ts";
import { type ParsedContent, type Table, unreadableDataError, writeCell } from "./content.ts";
import { toReading } from "./read-table.ts";

/** Returns true when a line is the delimiter row of a table: dashes that may include column alignment. */
function isRule(line: string): boolean {
  const cells = line.trim().split(/[|｜]/);
  const inner = cells.filter((cell, index) => cell !== "" || (index > 0 && index < cells.length - 1));
  return cells.length > 1 && inner.length > 0 && inner.every((cell) => /^[:：]?-+[:：]?$/.test(cell.trim()));
}

/** Returns the index of the delimiter row of a text's first table, or -1 when there is none. */
export function findRule(lines: readonly string[]): number {
  return lines.findIndex((line, index) => index > 0 && isRule(line) && /[|｜]/.test(lines[index - 1] ?? ""));
}

/** Reads the first table of a Markdown text (GitHub's syntax). */
export function readMarkdown(text: string): ParsedContent {
  const lines = text.split(/\r\n|\r|\n/);
  const rule = findRule(lines);
  if (rule < 0) {
    throw unreadableDataError(
      "没有找到 Markdown 表格：需要一行列名，下面一行是 | --- | --- |",
      "There is no Markdown table: it needs a line of column names and a line | --- | --- | below it.",
    );
  }
  const separator = lines[rule - 1]?.includes("|") ? "|" : "｜";
  const after = lines.slice(rule + 1);
  const length = after.findIndex((line) => !line.includes(separator));
  const body = after.slice(0, length < 0 ? undefined : length);
  const rows = body.map((line, index) => ({ record: splitRow(line, separator), line: rule + index + 2 }));
  const reading = toReading(splitRow(lines[rule - 1] ?? "", separator), rows);
  const others: Text[] =
    findRule(after.slice(body.length)) < 0
      ? []
      : [{ zh: "文中还有别的表格，只读了第一个", en: "The text has more tables; only the first was read" }];
  return { ...reading, notes: [...reading.notes, ...others] };
}

function splitRow(line: string, separator: string): string[] {
  const cells = [""];
  for (const [part] of line.trim().matchAll(/\\[\s\S]|[\s\S]/gu)) {
    if (part === separator) cells.push("");
    else cells.push((cells.pop() ?? "") + (part === "\\\\" || part === "\\|" ? part.slice(1) : part));
  }
  if (cells[0]?.trim() === "") cells.shift();
  if (cells.length > 0 && cells.at(-1)?.trim() === "" && line.trimEnd().endsWith(separator)) cells.pop();
  return cells.map((cell) => cell.trim().replace(/<br\s*\/?>/gi, "\n"));
}

export function writeMarkdown({ columns, rows }: Table): string {
  const isNumeric = columns.map((_, index) => rows.length > 0 && rows.every((row) => typeof row[index] === "number"));
  const renderLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = renderLine(isNumeric.map((numeric) => (numeric ? "---:" : "---")));
  return [
    renderLine(columns.map(writeText)),
    rule,
    ...rows.map((row) => renderLine(row.map((cell) => writeText(writeCell(cell))))),
  ].join("\n");
}

function writeText(text: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, "\\\\")
    .replaceAll("|", "\\|")
    .replace(/\r\n|\r|\n/g, "<br>");
}
