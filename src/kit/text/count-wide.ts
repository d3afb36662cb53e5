/** Counts the Chinese, Japanese and Korean characters and signs of a text, which say more than a letter and take two columns. */
export function countWide(text: string): number {
  return text.match(/[\u2e80-\uffdc]/g)?.length ?? 0;
}
