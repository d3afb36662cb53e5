/** Holds a part of a text: its first character, and the one after its last. */
export interface Range {
  from: number;
  to: number;
}

/** Returns the given parts of a text in order, without overlaps, and between them what `gap` says of the characters left out. */
export function renderParts(whole: string, parts: readonly Range[], gap: (missing: number) => string): string {
  const sorted = parts.filter(({ from, to }) => to > from).toSorted((a, b) => a.from - b.from);
  const pieces: string[] = [];
  let end = 0;
  for (const { from, to } of sorted) {
    if (to <= end) continue;
    if (from > end) pieces.push(`\n${gap(from - end)}\n`);
    pieces.push(whole.slice(Math.max(from, end), to));
    end = to;
  }
  if (end < whole.length) pieces.push(`\n${gap(whole.length - end)}`);
  return pieces.join("").toWellFormed();
}

/**
 * Returns how many characters of each text are kept so that all together take at most `most`: short texts stay whole, and the
 * long ones share what is left.
 */
export function shareCharacters(lengths: readonly number[], most: number): number[] {
  let left = most;
  let waiting = lengths.length;
  const kept = new Map<number, number>();
  const byLength = [...lengths.entries()].toSorted(([, a], [, b]) => a - b);
  for (const [index, length] of byLength) {
    const share = Math.min(length, Math.floor(left / waiting));
    kept.set(index, share);
    left -= share;
    waiting -= 1;
  }
  return lengths.map((length, index) => kept.get(index) ?? length);
}
