import { type Locale, say } from "../../../../kit/locale.ts";
import type { Key } from "../../keys/key.ts";
import type { Live, Size } from "../../screen/live.ts";
import type { Line } from "../../text/line.ts";
import { countCells } from "../../text/width.ts";
import { cutLine } from "../../text/wrap.ts";
import { createBreakRows } from "../text/break-rows.ts";
import { findRow } from "../text/rows.ts";
import { type Frame, getMaxRows, renderText, scroll } from "../view.ts";
import type { HistorySearch } from "./history-search.ts";

/** What a key does while the history is searched: `take` puts what is found in the text, `leave` leaves all as it was. */
export function pressInSearch(search: HistorySearch, key: Key): "go-on" | "take" | "leave" {
  const { name, text, ctrl, alt } = key;
  if (name === "escape" || (ctrl && (text === "c" || text === "g"))) return "leave";
  if (ctrl && text === "r") search.older();
  else if (ctrl && text === "s") search.newer();
  else if (name === "up") search.older();
  else if (name === "down") search.newer();
  else if (name === "backspace") search.shorten();
  else if (name === "paste") search.type(text.split("\n")[0]?.slice(0, mostQueried) ?? "");
  else if (name === "text" && !ctrl && !alt) search.type(text);
  else return "take";
  return "go-on";
}

/** What is found, and below it what is looked for, the cursor behind it. */
export function renderSearch(
  { query, found }: HistorySearch,
  typed: string,
  { prompt, size, frame, locale }: { prompt: string; size: Size; frame: Frame; locale: Locale },
): Live {
  const text = found ?? typed;
  const rows = createBreakRows()(text, frame.width);
  const cursor = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()));
  const top = scroll(0, findRow(rows, cursor), getMaxRows(size, frame), rows.length);
  const { lines } = renderText({ prompt, text, cursor, rows, frame, top, size });
  const isMissing = query !== "" && found === undefined;
  const label = isMissing ? { zh: "历史中没有：", en: "not in the history: " } : { zh: "搜索历史：", en: "history: " };
  const line: Line = [{ text: say(locale, label), styles: [isMissing ? "warn" : "dim"] }, { text: query }];
  const column = countCells(say(locale, label)) + countCells(query);
  return {
    lines: [...lines, cutLine(line, size.columns)],
    cursor: { row: lines.length, column: Math.min(column, size.columns - 1) },
  };
}

const mostQueried = 1_000;
