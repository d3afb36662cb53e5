import { showValue } from "../../../core/tools/argument-feedback.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { createDecoder } from "../../files/read-lines.ts";
import { type Table, unreadableDataError } from "../format-data/content.ts";
import { findFormat, readContent, removeFence, toTable } from "../format-data/convert.ts";

export interface TableSource {
  /** Holds the content of a file, or the text itself. */
  content: Uint8Array | string;
  /** Is the ending of the file's name in lower case, such as `csv`. It is empty when there is no name. */
  ending: string;
}

/** Reads the rows of a table. Throws a `DuetError` that names the place of a fault. */
export function readRows({ content, ending }: TableSource): { table: Table; notes: Text[] } {
  const decoded = typeof content === "string" ? content : (createDecoder(content)?.decode(content) ?? "");
  const text = removeFence(decoded.replace(/^\ufeff/, ""));
  if (text.trim() === "") throw unreadableDataError("没有数据", "There is no data.");
  const { content: parsed, notes } = readContent(text, findFormat(text, ending));
  if ("table" in parsed || !isRecord(parsed.value)) return { table: toTable(parsed), notes };
  // The rows often stand in an object, beside a count or the like.
  const lists = Object.entries(parsed.value).filter(([, inner]) => Array.isArray(inner) && inner.some(isRecord));
  const [only] = lists;
  if (lists.length !== 1 || only === undefined) return { table: toTable(parsed), notes };
  const [name, value] = only;
  const note = {
    zh: `行取自 ${showValue(name)} 之下的列表`,
    en: `The rows are those of the list under ${showValue(name)}.`,
  };
  return { table: toTable({ value }), notes: [...notes, note] };
}
