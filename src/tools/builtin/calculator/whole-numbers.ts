import { calculateGcd, countBits, mostBits } from "./fraction.ts";

/** Functions of whole numbers: `NaN` where there is no value, `Infinity` where it is too large to be written out. */
export function calculateFactorial(n: bigint): bigint | number {
  if (n < 0n) return Number.NaN;
  // 500! has 3,768 bits.
  if (n > 500n) return Number.POSITIVE_INFINITY;
  let product = 1n;
  for (let factor = 2n; factor <= n; factor++) product *= factor;
  return product;
}

/** Ways to choose k of n. */
export function countCombinations(n: bigint, k: bigint): bigint | number {
  if (n < 0n || k < 0n) return Number.NaN;
  if (k > n) return 0n;
  const steps = k < n - k ? k : n - k;
  let ways = 1n;
  for (let step = 1n; step <= steps; step++) {
    ways = (ways * (n - step + 1n)) / step;
    if (countBits(ways) > mostBits) return Number.POSITIVE_INFINITY;
  }
  return ways;
}

/** Ways to choose k of n in order. */
export function countPermutations(n: bigint, k: bigint): bigint | number {
  if (n < 0n || k < 0n) return Number.NaN;
  if (k > n) return 0n;
  let ways = 1n;
  for (let step = 0n; step < k; step++) {
    ways *= n - step;
    if (countBits(ways) > mostBits) return Number.POSITIVE_INFINITY;
  }
  return ways;
}

export function calculateLcm(a: bigint, b: bigint): bigint {
  const product = a * b;
  return product === 0n ? 0n : (product < 0n ? -product : product) / calculateGcd(a, b);
}

/** The whole root of a square; undefined for any other number. */
export function findSquareRoot(n: bigint): bigint | undefined {
  if (n < 2n) return n < 0n ? undefined : n;
  let root = 1n << BigInt(Math.ceil(countBits(n) / 2));
  for (let next = (root + n / root) / 2n; next < root; next = (root + n / root) / 2n) root = next;
  return root * root === n ? root : undefined;
}
