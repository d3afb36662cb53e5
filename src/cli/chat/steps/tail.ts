/** Where a long line is cut: seldom, so that what is shown of a growing text does not move with each piece. */
const stride = 2048;

/**
 * The end of a growing text, with at least `least` UTF-16 units where it has so many: from a line's start where one is near,
 * else from a place that stays the same while the text grows by 2,048 units.
 */
export function takeTail(text: string, least: number): string {
  const latest = text.length - least;
  if (latest <= 0) return text;
  const earliest = Math.floor(latest / stride) * stride;
  const line = text.lastIndexOf("\n", latest);
  if (line >= earliest) return text.slice(line + 1);
  const isHalf = /[\udc00-\udfff]/.test(text.charAt(earliest));
  return text.slice(isHalf ? earliest + 1 : earliest);
}
