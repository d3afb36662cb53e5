import { Lexer, type MarkedToken, type Token, Tokenizer } from "marked";

/** Returns the blocks of a text and never throws. Text that is nested too deeply to parse becomes one plain paragraph. */
export function lexBlocks(text: string): Token[] {
  if (tooDeep.test(text)) return [plain(text)];
  const tokenizer = new Tokenizer();
  // A definition would be out of sight, and what comes later could not change what is shown already.
  tokenizer.def = () => undefined;
  try {
    return new Lexer({ gfm: true, tokenizer }).lex(text);
  } catch {
    return [plain(text)];
  }
}

/** Quotations and lists within one another on one line: to read them takes the lexer time that grows with their square. */
const tooDeep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){21}/m;

function plain(text: string): Token {
  return { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] };
}

/** Every token is one of marked's own, because no extension is in use. */
export function isKnown(token: Token): token is MarkedToken {
  return kinds.has(token.type);
}

const kinds: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);
