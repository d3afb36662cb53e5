import type { Token } from "marked";
import { lexBlocks } from "./lex.ts";

/** What a text begins with: whole blocks, and how much of the text they are. */
export interface Ahead {
  readonly tokens: readonly Token[];
  readonly length: number;
  /** What stands again before the rest: the head of a table that was cut in two. */
  readonly carried?: string | undefined;
}

/**
 * The most that is read at once, in UTF-16 units. What takes more than the lexer's share of time for hostile text grows
 * with its square, and the open end of an answer is read again for each frame. A longer block is cut in two.
 */
const windowSize = 4000;

/**
 * The blocks that nothing can change that is still to come: a line that is not whole may still become another block.
 * `isWhole`: nothing comes.
 */
export function readAhead(text: string, isWhole: boolean): Ahead {
  const isLong = text.length > windowSize;
  const window = text.slice(0, isLong ? cutAt(text) : isWhole ? text.length : text.lastIndexOf("\n") + 1);
  if (window === "") return { tokens: [], length: 0 };
  const tokens = lexBlocks(window);
  if (isWhole && !isLong) return { tokens, length: text.length };
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const finished = tokens.slice(0, Math.max(last, 0));
  const length = finished.reduce((sum, { raw }) => sum + raw.length, 0);
  if (length > 0) return { tokens: finished, length };
  return isLong ? { tokens, length: window.length, carried: headOf(tokens[last]) } : { tokens: [], length: 0 };
}

/** Before a line that begins at the margin, where there is one; else between two lines, else between two words. */
function cutAt(text: string): number {
  const window = text.slice(0, windowSize);
  const margin = /^[\s\S]*\n(?=[^\s])/.exec(window)?.[0].length ?? 0;
  const places = [margin, window.lastIndexOf("\n") + 1, window.lastIndexOf(" ") + 1];
  const end = places.find((place) => place > windowSize / 2) ?? windowSize;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function headOf(token: Token | undefined): string | undefined {
  if (token?.type !== "table") return undefined;
  const head = /^[^\n]*\n[^\n]*\n/.exec(token.raw)?.[0];
  return head !== undefined && head.length < windowSize / 4 ? head : undefined;
}
