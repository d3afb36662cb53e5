import { type Locale, say } from "../../../kit/locale.ts";
import type { Live, Size } from "../../terminal/screen/live.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { cutLine } from "../../terminal/text/wrap.ts";

/** What stands at the bottom of a chat's screen, from top to bottom. */
export interface ChatParts {
  /** What is going on, in at most so many lines. */
  run(rows: number): readonly Line[];
  /** What was submitted meanwhile. */
  waiting: readonly string[];
  /** A question, else what is being typed. */
  input(room: Size): Live;
  status: string;
  locale: Locale;
}

/** Of those that wait, as many are shown as lines, on a low screen one; the rest is counted. */
const mostWaiting = 3;
const lowRows = 16;

/** Puts the parts below each other, within the screen: what is going on gets the room that the others leave. */
export function drawChat(size: Size, parts: ChatParts): Live {
  const { columns, rows } = size;
  const waiting = waitingLines(parts, rows);
  const status = createLine(parts.status, "dim");
  const room = Math.max(1, rows - 1 - waiting.length - 1);
  const input = parts.input({ columns, rows: room });
  const run = parts.run(Math.max(0, room - input.lines.length - 1));
  const above = [...(run.length > 0 ? [...run, []] : [[]]), ...waiting];
  const { cursor } = input;
  return {
    lines: [...above, ...input.lines, status].map((line) => cutLine(line, columns)),
    cursor: cursor && { row: cursor.row + above.length, column: cursor.column },
  };
}

function waitingLines({ waiting, locale }: ChatParts, rows: number): Line[] {
  const lines = waiting
    .slice(0, rows < lowRows ? 1 : mostWaiting)
    .map((text) => createLine(`⏳ ${firstLine(text)}`, "dim"));
  const more = waiting.length - lines.length;
  if (more === 0) return lines;
  const rest = say(locale, { zh: `⏳ 还有 ${more} 条在等待`, en: `⏳ ${more} more wait` });
  return [...lines, createLine(rest, "dim")];
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
