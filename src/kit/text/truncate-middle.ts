import { takeEnd, takeStart } from "./truncate.ts";

/**
 * Keeps at most `kept` UTF-16 units of a longer text, three quarters from its head and the rest from its tail, each ended
 * at a line, sentence or word where one is near. Between them stands, on a line of its own, what `gap` says of the
 * missing units and of where they begin.
 */
export function truncateMiddle(text: string, kept: number, gap: (missing: number, from: number) => string): string {
  if (text.length <= kept) return text;
  const share = Math.ceil(kept * 0.75);
  const head = trimToBoundary(takeStart(text, share));
  const tail = beginWell(takeEnd(text, kept - share));
  return `${head}\n${gap(text.length - head.length - tail.length, head.length)}\n${tail}`;
}

/** Cuts the text after the last line, sentence or word that ends near its end. Returns the whole text when none does. */
export function trimToBoundary(text: string): string {
  const from = text.length - near(text);
  for (const end of ends) {
    const last = [...text.slice(from).matchAll(end)].at(-1);
    if (last) return text.slice(0, from + last.index + 1);
  }
  return text;
}

function beginWell(text: string): string {
  const start = text.slice(0, near(text));
  for (const end of ends) {
    const found = start.search(end);
    if (found >= 0) return text.slice(found + 1);
  }
  return text;
}

/** Matches the ends of lines, of sentences and of words. */
const ends = [/\n/g, /[。！？；]|[.!?;](?=\s)/g, /[\s，、,]/g];

/** Returns how many characters may be lost to cut at a better place. */
function near({ length }: string): number {
  return Math.min(500, Math.floor(length / 5));
}
