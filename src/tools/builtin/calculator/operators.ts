import {
  calculateFactorial,
  countBits,
  createFraction,
  type Fraction,
  mostBits,
  roundDown,
  toNumber,
  type Value,
} from "./fraction.ts";

export type Operate = (a: Value, b: Value) => Value;

/** Maps the parser's operator names to functions. */
export const operators: ReadonlyMap<string, Operate> = new Map([
  [
    "add",
    createExactOperator(
      (a, b) => createFraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom),
      (a, b) => a + b,
    ),
  ],
  [
    "subtract",
    createExactOperator(
      (a, b) => createFraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom),
      (a, b) => a - b,
    ),
  ],
  ["multiply", multiplyValues],
  ["divide", createExactOperator(divide, (a, b) => a / b)],
  ["mod", createExactOperator(remainder, remainderOfDoubles)],
  ["pow", createExactOperator(power, (a, b) => a ** b)],
  [
    "unaryMinus",
    createExactOperator(
      (a) => ({ top: -a.top, bottom: a.bottom }),
      (a) => -a,
    ),
  ],
  ["unaryPlus", (a: Value) => a],
  ["factorial", withWholeNumbers(calculateFactorial)],
  // The parser's name for the sign that stands for %.
  [
    "ctranspose",
    createExactOperator(
      (a) => createFraction(a.top, a.bottom * 100n),
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
    if (result !== undefined && countBits(result.top) <= mostBits && countBits(result.bottom) <= mostBits)
      return result;
    const rough = approximate(toNumber(a), toNumber(b));
    // Too close to zero for a double.
    return result !== undefined && rough === 0 ? Number.POSITIVE_INFINITY : rough;
  };
}

/** Wraps a function that is defined only for integers. Other numbers give NaN. */
export function withWholeNumbers(call: (a: bigint, b: bigint) => bigint | number): (...args: Value[]) => Value {
  return (...args) => {
    const [a, b = 0n] = args.map(wholeOf);
    if (a === undefined || b === undefined) return Number.NaN;
    const result = call(a, b);
    return typeof result === "bigint" ? createFraction(result) : result;
  };
}

/** Returns the product, which is exact when possible. */
export function multiplyValues(a: Value, b: Value): Value {
  return createExactOperator(
    (left, right) => createFraction(left.top * right.top, left.bottom * right.bottom),
    (left, right) => left * right,
  )(a, b);
}

function wholeOf(value: Value): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return value.bottom === 1n ? value.top : undefined;
}

function divide(a: Fraction, b: Fraction): Fraction | undefined {
  return b.top === 0n ? undefined : createFraction(a.top * b.bottom, a.bottom * b.top);
}

/** Returns the remainder with the divisor's sign, as in mathematics. */
function remainder(a: Fraction, b: Fraction): Fraction | undefined {
  const quotient = divide(a, b);
  if (quotient === undefined) return undefined;
  return createFraction(a.top * b.bottom - roundDown(quotient) * b.top * a.bottom, a.bottom * b.bottom);
}

function remainderOfDoubles(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function power({ top, bottom }: Fraction, exponent: Fraction): Fraction | undefined {
  const size = exponent.top < 0n ? -exponent.top : exponent.top;
  const bits = BigInt(Math.max(countBits(top), countBits(bottom)) - 3);
  if (exponent.bottom !== 1n || bits * size > BigInt(mostBits) * 2n) return undefined;
  if (exponent.top >= 0n) return { top: top ** size, bottom: bottom ** size };
  return top === 0n ? undefined : createFraction(bottom ** size, top ** size);
}
