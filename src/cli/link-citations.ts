import type { Citation } from "../core/outcome.ts";
import { createHyperlink } from "./terminal/text/hyperlink.ts";

/** Links the numbers `[n]` of an answer that comes in pieces, and the addresses in its list of references, outside of code. */
export function createLinker(): (text: string, citations?: readonly Citation[]) => string {
  const addresses = new Map<string, string>();
  /** How the current line begins, in case a code block does there. */
  let head = "";
  let inBlock = false;
  let inSpan = false;

  function linked(token: string, before: string): string {
    if (token === "\n") {
      inSpan = false;
      return token;
    }
    if (/^[`~]/.test(token)) {
      if (token.length >= 3 && /(?:^|\n)[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?$/.test(before)) inBlock = !inBlock;
      else if (!inBlock && token.startsWith("`")) inSpan = !inSpan;
      return token;
    }
    const address = inBlock || inSpan ? undefined : addresses.get(token);
    return address === undefined ? token : createHyperlink(address, token);
  }

  return (text, citations = []) => {
    for (const { n, url } of citations) addresses.set(`[${n}]`, url).set(url, url);
    const shown = text.replace(tokens, (token, offset: number) => linked(token, head + text.slice(0, offset)));
    head = (head + text).slice(-longestHead);
    return shown;
  };
}

const tokens = /\n|`+|~{3,}|\[\d{1,3}\](?!\()|(?<![^\s])https?:\/\/\S+/g;
const longestHead = 40;
