import { createFraction, type Fraction, findSquareRoot, readFraction, toNumber, type Value } from "./fraction.ts";
import { multiplyValues } from "./operators.ts";

type List = readonly Fraction[];

/** Computes statistics over a list that is not empty, as exact as the list; of doubles, doubles. */
export const statistics = {
  count: (list: readonly Value[]) => createFraction(BigInt(list.length)),
  sum: applyToList(sum),
  mean: applyToList((list) => sum(list).div(list.length)),
  median: applyToList(calculateMedian),
  mode: applyToList(findMode),
  min: applyToList((list) => sortList(list)[0] ?? zero),
  max: applyToList((list) => sortList(list).at(-1) ?? zero),
  range: applyToList(calculateRange),
  product: (list: readonly Value[]) => list.reduce(multiplyValues),
  /** Returns the sample variance (divided by n - 1), which a single number does not have. */
  variance: applyToList((list) => (list.length < 2 ? Number.NaN : calculateVariance(list, list.length - 1))),
  std: applyToList((list) => (list.length < 2 ? Number.NaN : calculateRoot(calculateVariance(list, list.length - 1)))),
  /** Returns the variance of the whole population (divided by n). */
  populationVariance: applyToList((list) => calculateVariance(list, list.length)),
  populationStd: applyToList((list) => calculateRoot(calculateVariance(list, list.length))),
};

/** Returns the root of a value that is not negative. It is exact when both parts are squares. */
export function calculateRoot(value: Fraction): Value {
  const [top, bottom] = [findSquareRoot(value.n), findSquareRoot(value.d)];
  return top === undefined || bottom === undefined ? Math.sqrt(toNumber(value)) : createFraction(top, bottom);
}

function applyToList(calculate: (list: List) => Value): (list: readonly Value[]) => Value {
  return (list) => {
    const result = calculate(list.map((value) => (typeof value === "number" ? readFraction(value) : value)));
    return list.some((value) => typeof value === "number") ? toNumber(result) : result;
  };
}

const zero = createFraction(0n);

function sum(list: List): Fraction {
  return list.reduce((a, b) => a.add(b), zero);
}

function sortList(list: List): Fraction[] {
  return list.toSorted((a, b) => a.compare(b));
}

function calculateRange(list: List): Fraction {
  const sorted = sortList(list);
  return (sorted.at(-1) ?? zero).sub(sorted[0] ?? zero);
}

function calculateMedian(list: List): Fraction {
  const sorted = sortList(list);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? zero;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? zero);
  return lower.add(upper).div(2);
}

/** Returns the most frequent number. Among equals, the one that comes first in the list wins. */
function findMode(list: List): Fraction {
  const counts = new Map<string, { value: Fraction; count: number }>();
  for (const value of list) {
    const key = value.toFraction();
    counts.set(key, { value, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first] = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return first?.value ?? zero;
}

function calculateVariance(list: List, divisor: number): Fraction {
  const squares = sum(list.map((value) => value.mul(value)));
  const total = sum(list);
  return squares.sub(total.mul(total).div(list.length)).div(divisor);
}
