import type { Text } from "../../kit/locale.ts";

/** Limits the lines that are named. */
const mostNamed = 10;

/**
 * Returns the numbers, from 1, of the lines of a `.env` file that are no `NAME=value`, comment or empty line: Node's parser passes over
 * them. What stands in quotes may go over several lines.
 */
export function findUnreadLines(text: string): number[] {
  const lines = text.split(/\r?\n/);
  const found: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line === "" || line.startsWith("#")) continue;
    const value = /^[^=]+=\s*(.*)$/.exec(line)?.[1];
    if (value === undefined) found.push(at + 1);
    else at = findLastLine(lines, at, value);
  }
  return found;
}

/** Returns the line with which a value ends that begins on this one. A quote that nothing closes is part of the value. */
function findLastLine(lines: readonly string[], at: number, value: string): number {
  const [, quote = "", rest = ""] = /^(["'`])(.*)$/.exec(value) ?? [];
  if (quote === "" || rest.includes(quote)) return at;
  const end = lines.findIndex((line, index) => index > at && line.includes(quote));
  return Math.max(at, end);
}

/** Says which lines have no effect; undefined when there are none. It shows nothing of them, for they may hold keys. */
export function describeUnreadLines({ file, unread }: { file: string; unread: readonly number[] }): Text | undefined {
  if (unread.length === 0) return undefined;
  const places = unread.slice(0, mostNamed).map((line) => `${file}:${line}`);
  const more = unread.length > mostNamed ? ["…"] : [];
  return {
    zh: `未使用 ${[...places, ...more].join("、")}：不是“名称=值”的写法`,
    en: `${[...places, ...more].join(", ")}: not used, because it is not NAME=value`,
  };
}
