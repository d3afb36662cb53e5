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
  const start = countSameAtStart(old, now);
  const end = countSameAtStart(old.slice(start).reverse(), now.slice(start).reverse());
  const [goes, comes] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle =
    goes.length + comes.length > mostCompared
      ? [...markLines("-", goes), ...markLines("+", comes)]
      : compareLines(goes, comes);
  return [...markLines(" ", now.slice(0, start)), ...middle, ...markLines(" ", now.slice(now.length - end))];
}

function markLines(sign: ChangedLine["sign"], lines: readonly string[]): ChangedLine[] {
  return lines.map((text) => ({ sign, text }));
}

function countSameAtStart(some: readonly string[], others: readonly string[]): number {
  const different = some.findIndex((line, index) => line !== others[index]);
  return different === -1 ? some.length : different;
}

/** Puts each removed line before its replacement. */
function compareLines(old: readonly string[], now: readonly string[]): ChangedLine[] {
  // Node's comparison fails where there is nothing to compare.
  if (old.length === 0 || now.length === 0) return [...markLines("-", old), ...markLines("+", now)];
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
