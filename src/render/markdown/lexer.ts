import { Lexer, type MarkedOptions, type MarkedToken, type Token, Tokenizer, type Tokens } from "marked";

/** Creates a lexer that also finds bold Chinese without spaces around the marks, as models write it. */
export function createLexer(tokenizer = new Tokenizer(), extensions?: MarkedOptions["extensions"]): Lexer {
  const usual = tokenizer.emStrong.bind(tokenizer);
  const lexer = new Lexer({ gfm: true, tokenizer, ...(extensions && { extensions }) });
  tokenizer.emStrong = (source, masked, previous) => readChinese(source, lexer) ?? usual(source, masked, previous);
  return lexer;
}

/** CommonMark takes the second mark of `**“粗体”**中文` for one that opens, since no space stands behind it. */
function readChinese(source: string, lexer: Lexer): Tokens.Strong | undefined {
  const [raw, text = ""] = /^\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?!\*)/.exec(source) ?? [];
  if (raw === undefined || !/\p{Script=Han}/u.test(text) || /[`[\\<]/.test(text)) return undefined;
  return { type: "strong", raw, text, tokens: lexer.inlineTokens(text) };
}

/** Narrows the type of a token: each is one of marked's own, because no extension is in use. */
export function toKnownToken(token: Token): MarkedToken {
  return token as MarkedToken;
}

/** Detects the line break of HTML, the only tag that is followed. */
export function isBreak(html: string): boolean {
  return /^<br *\/?>$/i.test(html);
}
