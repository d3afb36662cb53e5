import { findRawEnd, rawText } from "./nesting.ts";

/** Tags and entities, and attributes; real pages of several megabytes have a third of it, and each costs time and memory. */
const most = 300_000;

/** Whether a page has more pieces than can be parsed in time. Goes through it once and keeps nothing. */
export function isTooComplex(html: string): boolean {
  const piece = /<!--[\s\S]*?(?:-->|$)|<([a-z][^\s/>]*)|[<&]/gi;
  let pieces = 0;
  let attributes = 0;
  for (let found = piece.exec(html); found !== null; found = piece.exec(html)) {
    const name = found[1]?.toLowerCase();
    if (name !== undefined) {
      const tag = attributesAt(html, piece.lastIndex);
      attributes += tag.count;
      piece.lastIndex = rawText.has(name) ? findRawEnd(html, name, tag.end) : tag.end;
    }
    if (++pieces > most || attributes > most) return true;
  }
  return false;
}

/** Counts the attributes of a tag, from behind its name. */
function attributesAt(html: string, from: number): { count: number; end: number } {
  const attribute = /[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?/y;
  let count = 0;
  let end = from;
  attribute.lastIndex = from;
  while (count <= most && attribute.test(html)) {
    count++;
    end = attribute.lastIndex;
  }
  return { count, end };
}
