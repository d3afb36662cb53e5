/** The marks that a block of code stands between. */
export interface Fence {
  readonly sign: string;
  readonly language: string;
}

/**
 * Where the first fence at the start of a line is; those further in belong to a list or a quotation. Its line must be
 * whole: with no end of it, what is there may go on.
 */
export function findFence(text: string, isWhole: boolean): { at: number; length: number; fence: Fence } | undefined {
  const found = /^(`{3,}(?=[^`\n]*(?:\n|$(?![\s\S])))|~{3,})([^\n]*)(\n|$(?![\s\S]))/m.exec(text);
  if (found === null) return undefined;
  const [whole, sign = "", language = "", end] = found;
  if (end === "" && !isWhole) return undefined;
  return { at: found.index, length: whole.length, fence: { sign, language: language.trim() } };
}

/** What of a text is code: the lines that stay, the one that is being written, and how much is read. */
export interface Code {
  readonly lines: string;
  readonly last: string;
  readonly length: number;
  readonly isClosed: boolean;
}

/** Reads on in a block of code. `isWhole`: nothing comes behind the text. */
export function readCode(text: string, { sign }: Fence, isWhole: boolean): Code {
  const end = new RegExp(`^ {0,3}${sign}${sign.charAt(0)}*[ \\t]*(?:\\n|$(?![\\s\\S]))`, "m").exec(text);
  // Marks at the very end may go on, and be code after all.
  if (end !== null && (isWhole || end[0].endsWith("\n")))
    return { lines: text.slice(0, end.index), last: "", length: end.index + end[0].length, isClosed: true };
  if (isWhole) return { lines: text, last: "", length: text.length, isClosed: false };
  const length = text.lastIndexOf("\n") + 1;
  const last = text.slice(length);
  const isMark = new RegExp(`^ {0,3}\\${sign.charAt(0)}*[ \\t]*$`).test(last);
  return { lines: text.slice(0, length), last: isMark ? "" : last, length, isClosed: false };
}
