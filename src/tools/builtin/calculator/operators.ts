import {
  calculateFactorial,
  countBits,
  createFraction,
  type Fraction,
  getTop,
  mostBits,
  toNumber,
  type Value,
} from "./fraction.ts";

export type Operate = (a: Value, b: Value) => Value;

/** Maps the parser's operator names to functions. */
export const operators: ReadonlyMap<string, Operate> = new Map([
  [
    "add",
    createExactOperator(
      (a, b) => a.add(b),
      (a, b) => a + b,
    ),
  ],
  [
    "subtract",
    createExactOperator(
      (a, b) => a.sub(b),
      (a, b) => a - b,
    ),
  ],
  ["multiply", multiplyValues],
  ["divide", createExactOperator(divideFractions, (a, b) => a / b)],
  ["mod", createExactOperator(calculateRemainder, calculateDoubleRemainder)],
  ["pow", createExactOperator(calculatePower, (a, b) => a ** b)],
  [
    "unaryMinus",
    createExactOperator(
      (a) => a.neg(),
      (a) => -a,
    ),
  ],
  ["unaryPlus", (a: Value) => a],
  ["factorial", withWholeNumbers(calculateFactorial)],
  // The parser's name for the sign that stands for %.
  [
    "ctranspose",
    createExactOperator(
      (a) => a.div(100),
      (a) => a / 100,
    ),
  ],
]);

/** Calculates exactly when the arguments are exact and the result can be, and with doubles otherwise. */
export function createExactOperator(
  exact: (a: Fraction, b: Fraction) => Fraction | undefined,
  approximate: (a: number, b: number) => number,
): Operate {
  return (a, b) => {
    const result = typeof a === "number" || typeof b === "number" ? undefined : exact(a, b);
    if (result !== undefined && countBits(result.n) <= mostBits && countBits(result.d) <= mostBits) return result;
    const rough = approximate(toNumber(a), toNumber(b));
    // Too close to zero for a double.
    return result !== undefined && rough === 0 ? Number.POSITIVE_INFINITY : rough;
  };
}

/** Wraps a function that is defined only for integers. Other numbers give NaN. */
export function withWholeNumbers(call: (a: bigint, b: bigint) => bigint | number): (...args: Value[]) => Value {
  return (...args) => {
    const [a, b = 0n] = args.map(toWhole);
    if (a === undefined || b === undefined) return Number.NaN;
    const result = call(a, b);
    return typeof result === "bigint" ? createFraction(result) : result;
  };
}

/** Returns the product, which is exact when possible. */
export function multiplyValues(a: Value, b: Value): Value {
  return createExactOperator(
    (left, right) => left.mul(right),
    (left, right) => left * right,
  )(a, b);
}

function toWhole(value: Value): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return value.d === 1n ? getTop(value) : undefined;
}

function divideFractions(a: Fraction, b: Fraction): Fraction | undefined {
  return b.n === 0n ? undefined : a.div(b);
}

/** Returns the remainder with the divisor's sign, as in mathematics. */
function calculateRemainder(a: Fraction, b: Fraction): Fraction | undefined {
  return b.n === 0n ? undefined : a.sub(a.div(b).floor().mul(b));
}

function calculateDoubleRemainder(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function calculatePower(base: Fraction, exponent: Fraction): Fraction | undefined {
  const bits = BigInt(Math.max(countBits(base.n), countBits(base.d)) - 3);
  if (exponent.d !== 1n || bits * exponent.n > BigInt(mostBits) * 2n) return undefined;
  return base.n === 0n && exponent.s < 0n ? undefined : base.pow(exponent);
}
