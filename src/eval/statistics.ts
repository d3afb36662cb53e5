/** Holds how many of some attempts did well, with the interval in which the true share lies with 95 % confidence. */
export interface Share {
  passed: number;
  of: number;
  /** Ranges from 0 to 1, and is null where nothing was counted. */
  rate: number | null;
  low: number | null;
  high: number | null;
}

/** Is the quantile of the normal distribution for 95 %. */
const z = 1.959963984540054;

/**
 * Returns the share with its Wilson score interval, which stays within 0 and 1 and holds for few attempts and for shares near the
 * ends, too.
 */
export function computeShare(passed: number, of: number): Share {
  if (of === 0) return { passed, of, rate: null, low: null, high: null };
  const rate = passed / of;
  const scale = 1 + z ** 2 / of;
  const middle = (rate + z ** 2 / (2 * of)) / scale;
  const half = (z * Math.sqrt((rate * (1 - rate)) / of + z ** 2 / (4 * of ** 2))) / scale;
  return { passed, of, rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Counts those that are true. What is null was not measured and does not count at all. */
export function countShare(results: readonly (boolean | null)[]): Share {
  const measured = results.filter((result) => result !== null);
  return computeShare(measured.filter(Boolean).length, measured.length);
}

/** Holds the spread of measured times, in milliseconds. */
export interface Spread {
  count: number;
  median: number | null;
  p95: number | null;
  max: number | null;
}

export function computeSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const pick = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { count: sorted.length, median: pick(0.5), p95: pick(0.95), max: sorted.at(-1) ?? null };
}

/**
 * Returns the probability of a difference at least as large as between `lost` and `won` where each was as likely (a two-sided sign
 * test, which is McNemar's exact test).
 */
export function computeSignTest(lost: number, won: number): number {
  const count = lost + won;
  let term = 0.5 ** count;
  let sum = 0;
  for (let index = 0; index <= Math.min(lost, won); index++) {
    sum += term;
    term *= (count - index) / (index + 1);
  }
  return Math.min(1, 2 * sum);
}
