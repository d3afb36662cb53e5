import type { Line } from "../text/line.ts";
import { countLineCells } from "../text/width.ts";
import { cutLine } from "../text/wrap.ts";
import type { Live, Size } from "./live.ts";

/** What is live, such that the screen holds it and one finished line: cut at its top, the cursor kept in view. Never empty. */
export function fitLive({ lines, cursor }: Live, { columns, rows }: Size): Live {
  const height = Math.max(1, rows - 1);
  const top = Math.min(Math.max(0, lines.length - height), cursor?.row ?? lines.length);
  const shown = lines
    .slice(top, top + height)
    .map((line) => (countLineCells(line) > columns ? cutLine(line, columns) : line));
  if (shown.length === 0) shown.push([]);
  if (!cursor) return { lines: shown.map(withoutSpacesAtEnd) };
  const row = Math.min(Math.max(0, cursor.row - top), shown.length - 1);
  const column = Math.min(Math.max(0, cursor.column), columns - 1);
  return { lines: shown.map(withoutSpacesAtEnd), cursor: { row, column } };
}

/** Terminals differ in whether spaces at an end are text that they wrap again. */
function withoutSpacesAtEnd(line: Line): Line {
  const last = line.at(-1);
  if (!last || last.styles?.includes("inverse") || !/[ \t]/.test(last.text.slice(-1))) return line;
  const text = last.text.replace(/[ \t]+$/, "");
  return text === "" ? withoutSpacesAtEnd(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}
