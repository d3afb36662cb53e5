import {
  calculateLcm,
  createFraction,
  type Fraction,
  findSquareRoot,
  readFraction,
  toNumber,
  type Value,
} from "./fraction.ts";
import { multiplyValues } from "./operators.ts";

/** Holds a list of fractions as integers over a common denominator. */
interface Scaled {
  tops: readonly bigint[];
  bottom: bigint;
}

/** Statistics over a list that is not empty, as exact as the list; of doubles, doubles. */
export const statistics = {
  count: (list: readonly Value[]) => createFraction(BigInt(list.length)),
  sum: over(({ tops, bottom }) => createFraction(sum(tops), bottom)),
  mean: over(({ tops, bottom }) => createFraction(sum(tops), bottom * BigInt(tops.length))),
  median: over(median),
  mode: over(mode),
  min: over(({ tops, bottom }) => createFraction(inOrder(tops)[0] ?? 0n, bottom)),
  max: over(({ tops, bottom }) => createFraction(inOrder(tops).at(-1) ?? 0n, bottom)),
  range: over(range),
  product: (list: readonly Value[]) => list.reduce(multiplyValues),
  /** Returns the sample variance (divided by n - 1), which a single number does not have. */
  variance: over((list) => (list.tops.length < 2 ? Number.NaN : variance(list, list.tops.length - 1))),
  std: over((list) => (list.tops.length < 2 ? Number.NaN : calculateRoot(variance(list, list.tops.length - 1)))),
  /** Returns the variance of the whole population (divided by n). */
  populationVariance: over((list) => variance(list, list.tops.length)),
  populationStd: over((list) => calculateRoot(variance(list, list.tops.length))),
};

/** Returns the root of a value that is not negative. It is exact when both parts are squares. */
export function calculateRoot(value: Fraction): Value {
  const [top, bottom] = [findSquareRoot(value.top), findSquareRoot(value.bottom)];
  return top === undefined || bottom === undefined ? Math.sqrt(toNumber(value)) : { top, bottom };
}

function over(calculate: (list: Scaled) => Value): (list: readonly Value[]) => Value {
  return (list) => {
    const exact = list.map((value) => (typeof value === "number" ? readFraction(value) : value));
    const bottom = [...new Set(exact.map((value) => value.bottom))].reduce(calculateLcm, 1n);
    const result = calculate({ tops: exact.map((value) => value.top * (bottom / value.bottom)), bottom });
    return list.some((value) => typeof value === "number") ? toNumber(result) : result;
  };
}

function sum(tops: readonly bigint[]): bigint {
  return tops.reduce((a, b) => a + b, 0n);
}

function inOrder(tops: readonly bigint[]): bigint[] {
  return tops.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function range({ tops, bottom }: Scaled): Fraction {
  const sorted = inOrder(tops);
  return createFraction((sorted.at(-1) ?? 0n) - (sorted[0] ?? 0n), bottom);
}

function median({ tops, bottom }: Scaled): Fraction {
  const sorted = inOrder(tops);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0n;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? 0n);
  return createFraction(lower + upper, bottom * 2n);
}

/** Returns the most frequent number. Among equals, the one that comes first in the list wins. */
function mode({ tops, bottom }: Scaled): Fraction {
  const counts = new Map<bigint, number>();
  for (const top of tops) counts.set(top, (counts.get(top) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return createFraction(first?.[0] ?? 0n, bottom);
}

function variance({ tops, bottom }: Scaled, divisor: number): Fraction {
  const count = BigInt(tops.length);
  const squares = sum(tops.map((top) => top * top));
  return createFraction(count * squares - sum(tops) ** 2n, count * BigInt(divisor) * bottom * bottom);
}
