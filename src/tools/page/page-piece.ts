import { type Locale, say } from "../../kit/locale.ts";
import { takeStart } from "../../kit/text/truncate.ts";

/**
 * Characters of a page that are read at once. A model reads at most 20,000 of one result: title, address and what is said
 * beside the text have to fit too.
 */
export const longestPiece = 18_000;

/** The text from `start` on, ended at a paragraph where one is near, and the line that says how to read on. */
export function slicePage(text: string, start: number, locale: Locale): string {
  const piece = cutPiece(text.slice(start), longestPiece);
  const end = start + piece.length;
  if (end >= text.length) return piece.trim();
  return `${piece.trim()}\n\n${say(locale, {
    zh: `…（第 ${start} 到 ${end} 个字符，共 ${text.length} 个；用 start=${end} 继续读）`,
    en: `… (characters ${start} to ${end} of ${text.length}; read on with start=${end})`,
  })}`;
}

function cutPiece(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = takeStart(text, longest);
  for (const mark of ["\n\n", "\n", "。", ". ", " "]) {
    const end = head.lastIndexOf(mark) + mark.length;
    if (end > longest * 0.6) return head.slice(0, end);
  }
  return head;
}
