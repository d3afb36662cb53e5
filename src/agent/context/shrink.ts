/** Defines how texts are measured and shortened. */
export interface Sizing {
  tokensOf(text: string): number;
  /** Keeps about that many characters of a text; for a reader without tools nothing of a call that reads the rest. */
  shorten(text: string, kept: number, forTools?: boolean): string;
}

/** Shortens one text as far as needed, but keeps at least this many characters. */
export interface ShrinkStep {
  index: number;
  floor: number;
}

/**
 * Plans rounds over the given texts, one for each floor. No text is cut further before every other has been cut to the same
 * floor.
 */
export function planShrinkSteps(indices: readonly number[], floors: readonly number[]): ShrinkStep[] {
  return floors.flatMap((floor) => indices.map((index) => ({ index, floor })));
}

/**
 * Saves `excess` tokens, or as many as it can, by shortening texts in the order of the steps, none more than is needed.
 * Each cut is made from the text as it was given. Pure.
 */
export function shrinkTexts(
  texts: readonly string[],
  excess: number,
  steps: readonly ShrinkStep[],
  sizing: Sizing,
): string[] {
  const shrunk = [...texts];
  const sizes = new Map<number, number>();
  let left = excess;
  for (const { index, floor } of steps) {
    if (left <= 0) break;
    const [original = "", text = ""] = [texts[index], shrunk[index]];
    if (text.length <= floor) continue;
    const size = sizes.get(index) ?? sizing.tokensOf(text);
    const guess = text.length * Math.max(0, 1 - left / size);
    const cut = cutTo(original, { guess, floor, target: size - left }, sizing);
    sizes.set(index, Math.min(cut.size, size));
    if (cut.size >= size) continue;
    left -= size - cut.size;
    shrunk[index] = cut.text;
  }
  return shrunk;
}

interface Cut {
  /** Is the length of the first attempt, in characters. */
  guess: number;
  floor: number;
  /** Is the wanted size, in tokens. */
  target: number;
}

/** Finds the longest cut that takes at most `target` tokens, but is no shorter than the floor. */
function cutTo(original: string, { guess, floor, target }: Cut, { tokensOf, shorten }: Sizing) {
  for (let kept = guess; ; kept *= 0.8) {
    const characters = Math.max(floor, Math.floor(kept));
    const text = shorten(original, characters);
    const size = tokensOf(text);
    if (size <= target || characters <= floor) return { text, size };
  }
}
