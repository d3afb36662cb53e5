import { type Token, Tokenizer } from "marked";
import { createLexer } from "../../../render/markdown/lexer.ts";
import { formulasAndNotes } from "./formulas-and-notes.ts";

/** Represents the fence that opens and closes a code block. */
export interface Fence {
  readonly sign: string;
  readonly language: string;
}

/**
 * Finds the first fence at the start of a line. Indented ones belong to a list or a quotation. The fence's line must be
 * complete, because without a line break it may continue.
 */
export function findFence(text: string, isWhole: boolean): { at: number; length: number; fence: Fence } | undefined {
  const found = /^(`{3,}(?=[^`\n]*(?:\n|$(?![\s\S])))|~{3,})([^\n]*)(\n|$(?![\s\S]))/m.exec(text);
  if (found === null) return undefined;
  const [whole, sign = "", language = "", end] = found;
  if (end === "" && !isWhole) return undefined;
  return { at: found.index, length: whole.length, fence: { sign, language: language.trim() } };
}

/** Splits the code in a text into complete lines and the line being written, and tells how much of the text was read. */
interface Code {
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

/** Holds the complete blocks at the start of a text and the length that they take. */
interface Ahead {
  readonly tokens: readonly Token[];
  readonly length: number;
  /** Is prefixed to the rest: it is the header of a table that was cut in two. */
  readonly carried?: string | undefined;
}

/**
 * Limits how much is read at once, in UTF-16 units. The lexer's time for hostile text grows quadratically, and the open end of
 * an answer is read again for each frame. A longer block is cut in two.
 */
const windowSize = 4000;

/** Is the length in which the next fence is looked for. It is beyond what is read at once. */
export const fenceWindow = 2 * windowSize;

/**
 * Returns the blocks that later text cannot change. An incomplete line may still become another block. `isWhole` means that no
 * more text follows.
 */
export function readAhead(text: string, isWhole: boolean): Ahead {
  const isLong = text.length > windowSize;
  const window = text.slice(0, isLong ? findCut(text) : isWhole ? text.length : text.lastIndexOf("\n") + 1);
  if (window === "") return { tokens: [], length: 0 };
  const tokens = lexBlocks(window);
  if (isWhole && !isLong) return { tokens, length: text.length };
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const finished = tokens.slice(0, Math.max(last, 0));
  const length = finished.reduce((sum, { raw }) => sum + raw.length, 0);
  if (length > 0) return { tokens: finished, length };
  return isLong ? { tokens, length: window.length, carried: findTableHead(tokens[last]) } : { tokens: [], length: 0 };
}

/** Cuts before a line that begins at the margin, else between two lines, else between two words. */
function findCut(text: string): number {
  const window = text.slice(0, windowSize);
  const margin = /^[\s\S]*\n(?=[^\s])/.exec(window)?.[0].length ?? 0;
  const places = [margin, window.lastIndexOf("\n") + 1, window.lastIndexOf(" ") + 1];
  const end = places.find((place) => place > windowSize / 2) ?? windowSize;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function findTableHead(token: Token | undefined): string | undefined {
  if (token?.type !== "table") return undefined;
  const head = /^[^\n]*\n[^\n]*\n/.exec(token.raw)?.[0];
  return head !== undefined && head.length < windowSize / 4 ? head : undefined;
}

/** Returns the blocks of a text and never throws. Text that is nested too deeply to parse becomes one plain paragraph. */
export function lexBlocks(text: string): Token[] {
  if (tooDeep.test(text)) return [toParagraph(text)];
  const tokenizer = new Tokenizer();
  // A definition would be out of sight, and what comes later could not change what is shown already.
  tokenizer.def = () => undefined;
  try {
    return createLexer(tokenizer, formulasAndNotes).lex(text);
  } catch {
    return [toParagraph(text)];
  }
}

/** Quotations and lists within one another on one line: to read them takes the lexer time that grows with their square. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){21}/m;

function toParagraph(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] };
}
