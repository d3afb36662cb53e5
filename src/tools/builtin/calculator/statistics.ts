/** Statistics over a list that is not empty. */
export const statistics = {
  count: (list: readonly number[]) => list.length,
  sum,
  mean,
  median,
  mode,
  min: (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b)),
  max: (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b)),
  range: (list: readonly number[]) => statistics.max(list) - statistics.min(list),
  product: (list: readonly number[]) => list.reduce((a, b) => a * b, 1),
  /** The sample's (divided by n - 1); of one number, 0. */
  variance: (list: readonly number[]) => deviations(list) / Math.max(1, list.length - 1),
  std: (list: readonly number[]) => Math.sqrt(statistics.variance(list)),
  /** The whole population's (divided by n). */
  populationVariance: (list: readonly number[]) => deviations(list) / list.length,
  populationStd: (list: readonly number[]) => Math.sqrt(statistics.populationVariance(list)),
};

/** Neumaier's sum: the rounding errors are added up apart, so 1e16 + 1 - 1e16 is 1. */
function sum(list: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of list) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}

function mean(list: readonly number[]): number {
  return sum(list) / list.length;
}

function median(list: readonly number[]): number {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The most frequent number; of several, the one that comes first in the list. */
function mode(list: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of list) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? Number.NaN;
}

function deviations(list: readonly number[]): number {
  const middle = mean(list);
  return sum(list.map((value) => (value - middle) ** 2));
}
