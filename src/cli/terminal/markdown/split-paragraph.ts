import { createInlineLexer } from "./inline-lexer.ts";

/**
 * Where a long text can be cut so that both parts read the same: at a space or a line end that stands in no emphasis, link
 * or code, before what may still become one. Its length where there is no such place.
 */
export function splitParagraph(source: string): number {
  let end = 0;
  let best = 0;
  for (const token of createInlineLexer().inlineTokens(source)) {
    const start = end;
    end += token.raw.length;
    if (token.type !== "text") continue;
    const opener = token.raw.search(/[*_~`[<!]/);
    const cut = lastBreak(opener < 0 ? token.raw : token.raw.slice(0, opener));
    if (cut >= 0 && start + cut > 0) best = start + cut;
    // What comes after an opener may belong to it, unless nothing of use came before.
    if (opener >= 0 && best >= source.length / 4) return best;
  }
  return best >= source.length / 4 ? best : lastCut(source);
}

/** The cut stands before the white space, so that it is not lost at the end of a part. */
function lastBreak(text: string): number {
  const space = Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n"));
  const [stop] = /[。！？；，、](?=[^。！？；，、]*$)/.exec(text) ?? [];
  return stop === undefined ? space : Math.max(space, text.lastIndexOf(stop) + 1);
}

function lastCut(source: string): number {
  const cut = lastBreak(source);
  if (cut >= source.length / 4) return cut;
  return /[\ud800-\udbff]$/.test(source) ? source.length - 1 : source.length;
}
