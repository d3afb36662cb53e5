import { Fraction } from "fraction.js";

export type { Fraction };

/** Represents the result of a step: exact as long as possible, else a double. */
export type Value = Fraction | number;

/** Limits the bits of either part of a fraction: about 1,200 digits. */
export const mostBits = 4096;

/** Reduces the fraction to lowest terms. The denominator must not be zero. */
export function createFraction(top: bigint, bottom = 1n): Fraction {
  return new Fraction(top, bottom);
}

/** Returns the numerator with its sign. The package keeps them apart. */
export function getTop({ s, n }: Fraction): bigint {
  return s * n;
}

/** Reads a number as it is written, so that 0.1 is a tenth. The number must be finite. */
export function readFraction(written: number): Fraction {
  const [digits = "", exponent = "0"] = String(written).split("e");
  const [whole = "", part = ""] = digits.split(".");
  const places = part.length - Number(exponent);
  const top = BigInt(whole + part);
  return places > 0 ? createFraction(top, 10n ** BigInt(places)) : createFraction(top * 10n ** BigInt(-places));
}

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  const [top, bottom] = [getTop(value), value.d];
  // 80 bits of the quotient are more than a double holds.
  const shift = countBits(top) - countBits(bottom) - 80;
  const quotient = shift > 0 ? top / (bottom << BigInt(shift)) : (top << BigInt(-shift)) / bottom;
  const half = Math.trunc(shift / 2);
  return Number(quotient) * 2 ** half * 2 ** (shift - half);
}

/** Returns at most three more than the exact number of bits. */
export function countBits(integer: bigint): number {
  return (integer < 0n ? -integer : integer).toString(16).length * 4;
}

export function calculateGcd(a: bigint, b: bigint): bigint {
  return new Fraction(a).gcd(b).n;
}

/** Rounds to this many decimals, half away from zero; the package rounds half up. */
export function round(value: Fraction, digits: number): Fraction {
  const [top, bottom] = [getTop(value), value.d];
  const scale = 10n ** BigInt(Math.abs(digits));
  const scaled = digits < 0 ? { top, bottom: bottom * scale } : { top: top * scale, bottom };
  const half = scaled.top < 0n ? -scaled.bottom : scaled.bottom;
  const whole = (2n * scaled.top + half) / (2n * scaled.bottom);
  return digits < 0 ? createFraction(whole * scale) : createFraction(whole, scale);
}

/** Holds functions of whole numbers. They give `NaN` where there is no value, and `Infinity` where it is too large to be written out. */
export function calculateFactorial(n: bigint): bigint | number {
  if (n < 0n) return Number.NaN;
  // 500! has 3,768 bits.
  if (n > 500n) return Number.POSITIVE_INFINITY;
  let product = 1n;
  for (let factor = 2n; factor <= n; factor++) product *= factor;
  return product;
}

/** Counts the ways to choose k of n. */
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

/** Counts the ways to choose k of n in order. */
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
  return new Fraction(a).lcm(b).n;
}

/** Returns the integer root of a square, or undefined for any other number. */
export function findSquareRoot(n: bigint): bigint | undefined {
  if (n < 2n) return n < 0n ? undefined : n;
  let root = 1n << BigInt(Math.ceil(countBits(n) / 2));
  for (let next = (root + n / root) / 2n; next < root; next = (root + n / root) / 2n) root = next;
  return root * root === n ? root : undefined;
}
