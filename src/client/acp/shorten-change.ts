/** Is how many lines around a change are shown. */
const context = 3;

/**
 * Returns the part of a text that a change is about, before and after it, with some lines around. Agents give the whole file for each
 * change, in which a person would have to look for it.
 */
export function shortenChange(oldText: string, newText: string): { oldText: string; newText: string } {
  const [before, after] = [oldText.split("\n"), newText.split("\n")];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [from, left] = [Math.max(0, head - context), Math.max(0, tail - context)];
  const cut = (lines: string[]): string => lines.slice(from, lines.length - left).join("\n");
  return { oldText: cut(before), newText: cut(after) };
}
