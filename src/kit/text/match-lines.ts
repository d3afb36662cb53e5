import { diff } from "node:util";

/** `+` marks a new line, `-` a removed one, and a blank one that stays. */
export interface ChangedLine {
  sign: "+" | "-" | " ";
  text: string;
}

/**
 * Node's comparison takes memory with the square of the difference. Beyond this many lines, all old lines are listed and then
 * all new ones.
 */
const mostCompared = 1000;

/** Marks each line by how it changed. */
export function matchLines(old: readonly string[], now: readonly string[]): ChangedLine[] {
  const start = sameAtStart(old, now);
  const end = sameAtStart(old.slice(start).reverse(), now.slice(start).reverse());
  const [goes, comes] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle =
    goes.length + comes.length > mostCompared ? [...marked("-", goes), ...marked("+", comes)] : compared(goes, comes);
  return [...marked(" ", now.slice(0, start)), ...middle, ...marked(" ", now.slice(now.length - end))];
}

function marked(sign: ChangedLine["sign"], lines: readonly string[]): ChangedLine[] {
  return lines.map((text) => ({ sign, text }));
}

function sameAtStart(some: readonly string[], others: readonly string[]): number {
  const different = some.findIndex((line, index) => line !== others[index]);
  return different === -1 ? some.length : different;
}

/** Puts each removed line before its replacement. */
function compared(old: readonly string[], now: readonly string[]): ChangedLine[] {
  // Node's comparison fails where there is nothing to compare.
  if (old.length === 0 || now.length === 0) return [...marked("-", old), ...marked("+", now)];
  const lines: ChangedLine[] = [];
  let added: ChangedLine[] = [];
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
