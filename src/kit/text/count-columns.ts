/** Returns how much a text says, in columns: a Latin letter is one, and a Chinese character counts as two and a half. */
export function countColumns(text: string): number {
  const wide = text.match(/[\u2e80-\uffdc]/g)?.length ?? 0;
  return text.length + 1.5 * wide;
}
