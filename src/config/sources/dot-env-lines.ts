import type { Text } from "../../kit/locale.ts";

/** Limits the lines that are named. */
const mostNamed = 10;

/**
 * Returns the numbers, from 1, of the lines of a `.env` file that Node's parser does not read as `NAME=value`, or under a name that no
 * variable has, and that are no comment or empty line. What stands in quotes may go over several lines, and a value of blanks alone is the next line in its place. A carriage
 * return counts nowhere.
 */
export function findUnreadLines(text: string): number[] {
  const lines = text.replaceAll("\r", "").split("\n");
  const found: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line === "" || line.startsWith("#")) continue;
    const value = /^(?:export\s+)?[^\s=:]+\s*=\s*(.*)$/.exec(line)?.[1];
    const taken = value === "" ? findTakenLine(lines, at) : undefined;
    if (value === undefined) found.push(at + 1);
    else if (taken === undefined) at = findLastLine(lines, at, value);
    else {
      found.push(taken + 1);
      at = findLastLine(lines, taken, (lines[taken] ?? "").trim());
    }
  }
  return found;
}

/** Returns the line that is the value of this one, behind whose `=` are blanks alone; undefined where there is none. */
function findTakenLine(lines: readonly string[], at: number): number | undefined {
  if (!/=\s+$/.test(lines[at] ?? "")) return undefined;
  const next = lines.findIndex((line, index) => index > at && line.trim() !== "");
  return next < 0 || lines[next]?.trim().startsWith("#") ? undefined : next;
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
    zh: `未使用 ${[...places, ...more].join("、")}：不是“名称=值”的写法，或上一行的等号后只有空格`,
    en: `${[...places, ...more].join(", ")}: not used, because it is not NAME=value, or only blanks stand behind the = before it`,
  };
}
