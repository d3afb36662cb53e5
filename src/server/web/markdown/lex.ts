import { type Token, Tokenizer } from "marked";
import { createLexer } from "../../../render/markdown/lexer.ts";

/** Returns the blocks of a text and never throws. Text that is nested too deeply to parse becomes one plain paragraph. */
export function lexBlocks(text: string): Token[] {
  if (tooDeep.test(text)) return [plain(text)];
  const tokenizer = new Tokenizer();
  // A definition would be out of sight, and what comes later could not change what is shown already.
  tokenizer.def = () => undefined;
  try {
    return createLexer(tokenizer).lex(text);
  } catch {
    return [plain(text)];
  }
}

/** Quotations and lists within one another on one line: to read them takes the lexer time that grows with their square. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){21}/m;

function plain(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] };
}
