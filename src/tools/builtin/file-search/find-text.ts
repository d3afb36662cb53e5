import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";

export interface Hit {
  /** From 1. */
  line: number;
  /** The part of the line round the hit. */
  fragment: string;
}

const newline = 10;

/** The lines that hold `needle` (lower case, plain text), whatever the case of their letters; at most `most`. */
export function findLines(text: string, needle: string, most: number): Hit[] {
  const lowered = text.toLowerCase();
  // A few letters change their length in lower case; then positions only fit the lowered text.
  const original = lowered.length === text.length ? text : lowered;
  const hits: Hit[] = [];
  let line = 1;
  let counted = 0;
  let found = lowered.indexOf(needle);
  while (found >= 0 && hits.length < most) {
    const start = lowered.lastIndexOf("\n", found) + 1;
    for (; counted < start; counted++) if (lowered.charCodeAt(counted) === newline) line++;
    const next = lowered.indexOf("\n", found);
    const end = next < 0 ? lowered.length : next;
    hits.push({ line, fragment: fragmentOf(original.slice(start, end), found - start) });
    found = next < 0 ? -1 : lowered.indexOf(needle, end + 1);
  }
  return hits;
}

/** The whole line if it is short, else the 200 characters round the hit. */
function fragmentOf(line: string, hit: number): string {
  if (line.length <= 200) return sanitizeLine(line);
  const from = Math.max(0, hit - 60);
  const part = takeStart(line.slice(from), 200).replace(/^[\udc00-\udfff]/, "");
  return `${from > 0 ? "…" : ""}${sanitizeLine(part)}${from + 200 < line.length ? "…" : ""}`;
}
