import { type Locale, say } from "../../kit/locale.ts";
import type { CutText } from "../../kit/text/truncate.ts";

/** Holds a position in a result, and the tool that reads from there. */
export interface ResultPosition {
  name: string;
  number: number;
  /** Is the offset of the first character to read, from 0. */
  from: number;
  language: Locale;
}

/** Says that something is missing, where there is no way to read it. */
export function toGapLine(missing: number, language: Locale): string {
  const count = missing.toLocaleString("en");
  return say(language, { zh: `…[省略 ${count} 个字符]…`, en: `…[${count} characters left out]…` });
}

/** Says what is missing and how to read it; the line that stands in a result where it was cut. */
export function renderPointer(missing: number, { name, number, from, language }: ResultPosition): string {
  const count = missing.toLocaleString("en");
  const call = `${name} {"result": ${number}, "from": ${from}}`;
  return say(language, {
    zh: `…[省略 ${count} 个字符；用 ${call} 继续读取]…`,
    en: `…[${count} characters left out; ${call} reads on]…`,
  });
}

/** Is true for a text that one of these lines stands in. */
export function isCut(text: string): boolean {
  return /…\[(?:省略 [\d,]+ 个字符|[\d,]+ characters left out)(?:[；;][^\n]*)?\]…/.test(text);
}

/**
 * Returns the ends of a result around the line that says how to read it on; undefined where there is none. A line that names another
 * result or place was said by a tool.
 */
export function splitAtPointer(text: string, number: number | undefined): CutText | undefined {
  const line = [...text.matchAll(pointerLine)].find(
    ({ groups, index }) => Number(groups?.number) === number && Number(groups?.from) === index,
  );
  if (line === undefined) return undefined;
  return { head: text.slice(0, line.index), missing: readCount(line), tail: text.slice(line.index + line[0].length) };
}

/** Counts what is missing of a whole text where this part of what was read of it goes: its gaps are no characters of the text. */
export function countMissing(part: string): number {
  return [...part.matchAll(gapLine)].reduce((sum, line) => sum + readCount(line) - line[0].length, part.length);
}

function readCount({ groups }: RegExpExecArray): number {
  return Number((groups?.zh ?? groups?.en ?? "").replaceAll(",", ""));
}

const gapLine = /\n?…\[(?:省略 (?<zh>[\d,]+) 个字符|(?<en>[\d,]+) characters left out)\]…\n?/g;

const pointerLine =
  /\n…\[(?:省略 (?<zh>[\d,]+) 个字符；用|(?<en>[\d,]+) characters left out;) \w+ \{"result": (?<number>\d+), "from": (?<from>\d+)\} (?:继续读取|reads on)\]…\n/g;
