/** Limits how much text is held back for a closing backtick. Beyond that, a backtick is an ordinary character. */
const longestSpan = 512;

/** Limits the line that opens a code block: its marks and the name of its language. */
const longestOpening = 128;

/**
 * Holds the length of the code at the start of a text that begins with a run of "`" or "~"; that code stays unchanged.
 * `readCode` returns "open" when more text is needed to decide.
 */
interface Code {
  length: number;
  /**
   * Holds the run that opened a block which continues after `length`. Is undefined for code within a line, and when there is no
   * code.
   */
  fence?: string;
}

/**
 * Reads the code at the start of `text`. `lineHead` is the text before it on its line; `isLast` is true when no more text comes.
 */
export function readCode(text: string, lineHead: string, isLast: boolean): Code | "open" {
  const run = runOf(text, 0);
  if (run.length === text.length && !isLast) return "open";
  if (run.length >= 3 && canOpenBlock(lineHead)) {
    const opening = readOpening(text, run, isLast);
    if (opening) return opening;
  }
  return run[0] === "`" ? readSpan(text, run, isLast) : { length: run.length };
}

function readOpening(text: string, run: string, isLast: boolean): Code | "open" | undefined {
  const window = text.slice(0, longestOpening);
  const end = window.indexOf("\n");
  const line = end < 0 ? window : window.slice(0, end);
  if (line.includes("`", run.length)) return undefined;
  if (end < 0 && window.length < longestOpening && !isLast) return "open";
  return { length: end < 0 ? line.length : end + 1, fence: run };
}

/** Code within a line ends with a run of the same length as the one that opened it. */
function readSpan(text: string, run: string, isLast: boolean): Code | "open" {
  for (let index = run.length; index < run.length + longestSpan; index++) {
    if (index >= text.length) return isLast ? { length: run.length } : "open";
    if (text[index] === "\n") break;
    if (text[index] !== "`") continue;
    const close = runOf(text, index);
    if (index + close.length === text.length && !isLast) return "open";
    if (close === run) return { length: index + run.length };
    index += close.length - 1;
  }
  return { length: run.length };
}

/** Is true when this line ends the block that `fence` opened, and "open" when more of the line is needed to decide. */
export function isBlockEnd(line: string, fence: string): boolean | "open" {
  const [whole, run = "", end = ""] = /^[ \t>]*(?:([`~]+)[ \t]*)?\r?(\n?)$/.exec(line) ?? [];
  if (whole === undefined) return false;
  if (end === "") return "open";
  return run.length >= fence.length && runOf(run, 0) === run && run[0] === fence[0];
}

function canOpenBlock(lineHead: string): boolean {
  return /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*$/.test(lineHead);
}

function runOf(text: string, start: number): string {
  let end = start + 1;
  while (end < text.length && text[end] === text[start]) end++;
  return text.slice(start, end);
}
