import { type Locale, say } from "../locale.ts";

/**
 * Replaces 20 or more blanks in a row within a JSON string by their number, so that the text behind them is not pushed off the
 * screen. A tab counts as its escape.
 */
export function showBlanks(json: string, locale: Locale): string {
  return json.replace(blanksAndEscapes, (found) => {
    if (found.startsWith("\\") && !found.startsWith("\\t")) return found;
    const count = found.replaceAll("\\t", " ").length;
    return say(locale, { zh: `…（${count} 个空白字符）…`, en: `… (${count} blanks) …` });
  });
}

// Blanks at the beginning of a line indent it; the backslash of another escape begins none of a tab.
const blanksAndEscapes = /\\[^t]|(?<=\S)(?:\p{Zs}|\\t){20,}/gu;
