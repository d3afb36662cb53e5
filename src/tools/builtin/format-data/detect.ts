import { showValue } from "../../../core/tools/argument-feedback.ts";
import { type DataFormat, unreadableDataError } from "./content.ts";
import { findRule } from "./markdown.ts";
import { namedDelimiter } from "./read-table.ts";

/** Which format a text most likely is. Throws where it is like none. */
export function detectFormat(text: string): DataFormat {
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
    `看不出数据的格式（开头是 ${piece}），请用 from 指明`,
    `The format is not clear (it begins with ${piece}): name it in from.`,
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
