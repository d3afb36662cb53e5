import { statistics } from "./statistics.ts";

/** What an expression may call, by name. A value is a number; a list is an argument in brackets. */
export type Argument = number | readonly number[];

export interface Callable {
  /** How many arguments: the least and the most. */
  arity: [number, number];
  call(...args: Argument[]): number;
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

/** By the name that mathjs gives an operator. */
export const operators: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ["add", (a: number, b: number) => a + b],
  ["subtract", (a: number, b: number) => a - b],
  ["multiply", (a: number, b: number) => a * b],
  ["divide", (a: number, b: number) => a / b],
  ["mod", modulo],
  ["pow", (a: number, b: number) => a ** b],
  ["unaryMinus", (a: number) => -a],
  ["unaryPlus", (a: number) => a],
  ["factorial", factorial],
]);

export const functions: ReadonlyMap<string, Callable> = new Map([
  ...unary({
    sqrt: Math.sqrt,
    cbrt: Math.cbrt,
    abs: Math.abs,
    sign: Math.sign,
    floor: Math.floor,
    ceil: Math.ceil,
    trunc: Math.trunc,
    exp: Math.exp,
    ln: Math.log,
    log10: Math.log10,
    lg: Math.log10,
    log2: Math.log2,
    sin: (x) => nearZero(Math.sin(x), x),
    cos: (x) => nearZero(Math.cos(x), x),
    // At a right angle there is none, though a double comes close.
    tan: (x) => (Math.abs(Math.cos(x)) < 1e-15 ? Number.POSITIVE_INFINITY : nearZero(Math.tan(x), x)),
    asin: Math.asin,
    acos: Math.acos,
    atan: Math.atan,
    sinh: Math.sinh,
    cosh: Math.cosh,
    tanh: Math.tanh,
    factorial,
  }),
  ["log", numeric([1, 2], (x, base) => (base === undefined ? Math.log(x) : logarithm(x, base)))],
  ["round", numeric([1, 2], (x, digits = 0) => roundTo(x, digits))],
  ["pow", numeric([2, 2], (a, b = 1) => a ** b)],
  ["mod", numeric([2, 2], (a, b = 1) => modulo(a, b))],
  ["atan2", numeric([2, 2], (y, x = 1) => Math.atan2(y, x))],
  ["hypot", numeric([1, 100], (...sides) => Math.hypot(...sides))],
  ["comb", numeric([2, 2], (n, k = 0) => combinations(n, k))],
  ["perm", numeric([2, 2], (n, k = 0) => combinations(n, k) * factorial(k))],
  ["gcd", numeric([2, 100], (...list) => list.reduce(gcd))],
  [
    "lcm",
    numeric([2, 100], (...list) =>
      list.reduce((a, b) => (a === 0 || b === 0 ? 0 : Math.abs(a / gcd(a, b)) * Math.abs(b))),
    ),
  ],
  ...Object.entries({
    ...statistics,
    average: statistics.mean,
    avg: statistics.mean,
    prod: statistics.product,
    stdev: statistics.std,
    var: statistics.variance,
  }).map(([name, over]): [string, Callable] => [name, { arity: [1, 10_000], call: (...args) => over(args.flat()) }]),
]);

function unary(table: Record<string, (x: number) => number>): [string, Callable][] {
  return Object.entries(table).map(([name, call]) => [name, numeric([1, 1], call)]);
}

/** A function of numbers; a list is not a number. */
function numeric(arity: [number, number], call: (first: number, ...rest: number[]) => number): Callable {
  return {
    arity,
    call(...args) {
      const [first = Number.NaN, ...rest] = args.map((arg) => (typeof arg === "number" ? arg : Number.NaN));
      return call(first, ...rest);
    },
  };
}

/** The remainder with the divisor's sign, as in mathematics. */
function modulo(a: number, b: number): number {
  return b === 0 ? Number.NaN : a - b * Math.floor(a / b);
}

/** Above 170 a double overflows, so the loop is short. */
function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0) return Number.NaN;
  if (n > 170) return Number.POSITIVE_INFINITY;
  let product = 1;
  for (let factor = 2; factor <= n; factor++) product *= factor;
  return product;
}

/** Ways to choose k of n. */
function combinations(n: number, k: number): number {
  if (!Number.isInteger(n) || !Number.isInteger(k) || n < 0 || k < 0) return Number.NaN;
  if (k > n) return 0;
  let ways = 1;
  for (let step = 1; step <= Math.min(k, n - k) && Number.isFinite(ways); step++) ways = (ways * (n - step + 1)) / step;
  return Math.round(ways);
}

function logarithm(x: number, base: number): number {
  if (base <= 0 || base === 1) return Number.NaN;
  if (base === 10) return Math.log10(x);
  return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
}

/** Half away from zero, as people round: 1.005 to two digits is 1.01, because that is what was written. */
function roundTo(x: number, digits: number): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return Number.NaN;
  const [mantissa = "", exponent = "0"] = String(Math.abs(x)).split("e");
  const scaled = Math.round(Number(`${mantissa}e${Number(exponent) + digits}`));
  const [back = "", backExponent = "0"] = String(scaled).split("e");
  return Math.sign(x) * Number(`${back}e${Number(backExponent) - digits}`);
}

function gcd(a: number, b: number): number {
  if (!Number.isInteger(a) || !Number.isInteger(b)) return Number.NaN;
  return b === 0 ? Math.abs(a) : gcd(b, a % b);
}

// sin(pi) is 1.2e-16 in doubles, because pi is not pi.
function nearZero(value: number, x: number): number {
  return Math.abs(value) < 1e-15 && Math.abs(x) > 1 ? 0 : value;
}
