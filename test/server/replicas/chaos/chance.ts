/** Draws what is left to chance, the same from the same seed. */
export interface Chance {
  /** From 0 up to 1, without it. */
  next(): number;
  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
  /** Draws for one purpose, whatever is drawn for others meanwhile. */
  of(purpose: string): Chance;
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  // Mulberry32 has a period of 2^32, which is enough for what is drawn here.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
    of: (purpose) =>
      createChance([...purpose].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)),
  };
}
