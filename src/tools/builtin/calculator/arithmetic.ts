import {
  calculateFactorial,
  calculateGcd,
  calculateLcm,
  countCombinations,
  countPermutations,
  createFraction,
  type Fraction,
  getTop,
  readFraction,
  round,
  toNumber,
  type Value,
} from "./fraction.ts";
import { createExactOperator, operators, withWholeNumbers } from "./operators.ts";
import { calculateRoot, statistics } from "./statistics.ts";

/** Represents an argument of a function in an expression. A value is a number, and a list is written in brackets. */
export type Argument = Value | readonly Value[];

export interface Callable {
  /** Holds the minimum and maximum number of arguments. */
  arity: [number, number];
  call(...args: Argument[]): Value;
}

export const constants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["PI", Math.PI],
  ["π", Math.PI],
  ["e", Math.E],
  ["E", Math.E],
  ["tau", 2 * Math.PI],
  // Of an angle: sin(30 deg).
  ["deg", Math.PI / 180],
]);

export const functions: ReadonlyMap<string, Callable> = new Map([
  ...listUnary({
    sqrt: createExactOperator((x) => findExactRoot(x), Math.sqrt),
    cbrt: toCalculate(Math.cbrt),
    abs: createExactOperator((x) => x.abs(), Math.abs),
    sign: createExactOperator(({ s, n }) => createFraction(n === 0n ? 0n : s), Math.sign),
    floor: createExactOperator((x) => x.floor(), Math.floor),
    ceil: createExactOperator((x) => x.ceil(), Math.ceil),
    trunc: createExactOperator((x) => createFraction(getTop(x) / x.d), Math.trunc),
    exp: toCalculate(Math.exp),
    ln: toCalculate(Math.log),
    log10: toCalculate(Math.log10),
    lg: toCalculate(Math.log10),
    log2: toCalculate(Math.log2),
    sin: toCalculate((x) => roundNearZero(Math.sin(x), x)),
    cos: toCalculate((x) => roundNearZero(Math.cos(x), x)),
    // At a right angle there is none, though a double comes close.
    tan: toCalculate((x) => (Math.abs(Math.cos(x)) < 1e-15 ? Number.POSITIVE_INFINITY : roundNearZero(Math.tan(x), x))),
    asin: toCalculate(Math.asin),
    acos: toCalculate(Math.acos),
    atan: toCalculate(Math.atan),
    sinh: toCalculate(Math.sinh),
    cosh: toCalculate(Math.cosh),
    tanh: toCalculate(Math.tanh),
    factorial: withWholeNumbers(calculateFactorial),
  }),
  [
    "log",
    createNumeric(
      [1, 2],
      toCalculate((x, base) => (base === undefined ? Math.log(x) : calculateLogarithm(x, base))),
    ),
  ],
  ["round", createNumeric([1, 2], (x = Number.NaN, digits) => roundTo(x, digits === undefined ? 0 : toNumber(digits)))],
  ...[...operators].flatMap(([name, operate]): [string, Callable][] =>
    name === "pow" || name === "mod"
      ? [[name, createNumeric([2, 2], (a = Number.NaN, b = Number.NaN) => operate(a, b))]]
      : [],
  ),
  [
    "atan2",
    createNumeric(
      [2, 2],
      toCalculate((y, x = 1) => Math.atan2(y, x)),
    ),
  ],
  [
    "hypot",
    createNumeric(
      [1, 100],
      toCalculate((...sides) => Math.hypot(...sides)),
    ),
  ],
  ["comb", createNumeric([2, 2], withWholeNumbers(countCombinations))],
  ["perm", createNumeric([2, 2], withWholeNumbers(countPermutations))],
  ["gcd", createNumeric([2, 100], (...list) => list.reduce((a, b) => withWholeNumbers(calculateGcd)(a, b)))],
  ["lcm", createNumeric([2, 100], (...list) => list.reduce((a, b) => withWholeNumbers(calculateLcm)(a, b)))],
  ...Object.entries({
    ...statistics,
    average: statistics.mean,
    avg: statistics.mean,
    prod: statistics.product,
    stdev: statistics.std,
    var: statistics.variance,
  }).map(([name, over]): [string, Callable] => [name, { arity: [1, 10_000], call: (...args) => over(args.flat()) }]),
]);

export function isVariadic(name: string): boolean {
  return (functions.get(name)?.arity[1] ?? 0) > 2;
}

type Calculate = (...args: Value[]) => Value;

function listUnary(table: Record<string, (x: Value, same: Value) => Value>): [string, Callable][] {
  return Object.entries(table).map(([name, call]) => [name, createNumeric([1, 1], (x = Number.NaN) => call(x, x))]);
}

/** Wraps a function that works on doubles. */
function toCalculate(call: (first: number, ...rest: number[]) => number): Calculate {
  return (first = Number.NaN, ...rest) => call(toNumber(first), ...rest.map(toNumber));
}

/** Wraps a function of numbers, which does not accept lists. */
function createNumeric(arity: [number, number], call: Calculate): Callable {
  return { arity, call: (...args) => call(...args.map((arg) => (isList(arg) ? Number.NaN : arg))) };
}

function isList(arg: Argument): arg is readonly Value[] {
  return Array.isArray(arg);
}

function findExactRoot(x: Fraction): Fraction | undefined {
  const exact = x.s < 0n ? Number.NaN : calculateRoot(x);
  return typeof exact === "number" ? undefined : exact;
}

function calculateLogarithm(x: number, base: number): number {
  if (base <= 0 || base === 1) return Number.NaN;
  if (base === 10) return Math.log10(x);
  return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
}

function roundTo(x: Value, digits: number): Value {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return Number.NaN;
  if (typeof x !== "number") return round(x, digits);
  return Number.isFinite(x) ? toNumber(round(readFraction(x), digits)) : x;
}

// sin(pi) is 1.2e-16 in doubles, because pi is not pi.
function roundNearZero(value: number, x: number): number {
  return Math.abs(value) < 1e-15 && Math.abs(x) > 1 ? 0 : value;
}
