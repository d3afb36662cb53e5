import { diff } from "node:util";

/** A line of a comparison: `+` is new, `-` is gone, a blank stays. */
export interface Line {
  sign: "+" | "-" | " ";
  text: string;
}

/** Node's comparison takes memory with the square of what differs; beyond this all old lines are given, then all new ones. */
const mostCompared = 1000;

/** The lines of a text, marked by what has become of them; all new where there was no text before. */
export function matchLines(before: string | undefined, after: string): Line[] {
  const now = after.split("\n");
  if (before === undefined) return marked("+", now);
  const old = before.split("\n");
  const start = sameAtStart(old, now);
  const end = sameAtStart(old.slice(start).reverse(), now.slice(start).reverse());
  const [goes, comes] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle =
    goes.length + comes.length > mostCompared ? [...marked("-", goes), ...marked("+", comes)] : compared(goes, comes);
  return [...marked(" ", now.slice(0, start)), ...middle, ...marked(" ", now.slice(now.length - end))];
}

function marked(sign: Line["sign"], lines: readonly string[]): Line[] {
  return lines.map((text) => ({ sign, text }));
}

function sameAtStart(some: readonly string[], others: readonly string[]): number {
  const different = some.findIndex((line, index) => line !== others[index]);
  return different === -1 ? some.length : different;
}

/** What goes stands before what comes in its place. */
function compared(old: readonly string[], now: readonly string[]): Line[] {
  // Node's comparison fails where there is nothing to compare.
  if (old.length === 0 || now.length === 0) return [...marked("-", old), ...marked("+", now)];
  const lines: Line[] = [];
  let added: Line[] = [];
  for (const [operation, text] of diff(now, old)) {
    if (operation === 1) added.push({ sign: "+", text });
    else if (operation === -1) lines.push({ sign: "-", text });
    else {
      lines.push(...added, { sign: " ", text });
      added = [];
    }
  }
  return [...lines, ...added];
}
