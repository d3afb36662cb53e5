import { Lexer, Tokenizer, type Tokens } from "marked";

/** Reads the text of one block; where Chinese is bold without spaces around the marks, as models write it, so too. */
export function createInlineLexer(): Lexer {
  const tokenizer = new Tokenizer();
  const usual = tokenizer.emStrong.bind(tokenizer);
  const lexer = new Lexer({ gfm: true, tokenizer });
  tokenizer.emStrong = (source, masked, previous) => readChinese(source, lexer) ?? usual(source, masked, previous);
  return lexer;
}

/** CommonMark takes the second mark of `**“粗体”**中文` for one that opens, since no space stands behind it. */
function readChinese(source: string, lexer: Lexer): Tokens.Strong | undefined {
  const [raw, text = ""] = /^\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?!\*)/.exec(source) ?? [];
  if (raw === undefined || !/\p{Script=Han}/u.test(text) || /[`[\\<]/.test(text)) return undefined;
  return { type: "strong", raw, text, tokens: lexer.inlineTokens(text) };
}
