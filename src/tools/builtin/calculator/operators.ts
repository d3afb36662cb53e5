import { bitsOf, type Fraction, floor, fraction, mostBits, toNumber, type Value } from "./fraction.ts";
import { factorial } from "./whole-numbers.ts";

export type Operate = (a: Value, b: Value) => Value;

/** By the name that the parser gives an operator. */
export const operators: ReadonlyMap<string, Operate> = new Map([
  [
    "add",
    exactly(
      (a, b) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom),
      (a, b) => a + b,
    ),
  ],
  [
    "subtract",
    exactly(
      (a, b) => fraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom),
      (a, b) => a - b,
    ),
  ],
  ["multiply", multiply],
  ["divide", exactly(divide, (a, b) => a / b)],
  ["mod", exactly(remainder, remainderOfDoubles)],
  ["pow", exactly(power, (a, b) => a ** b)],
  [
    "unaryMinus",
    exactly(
      (a) => ({ top: -a.top, bottom: a.bottom }),
      (a) => -a,
    ),
  ],
  ["unaryPlus", (a: Value) => a],
  ["factorial", ofWholeNumbers(factorial)],
  // The parser's name for the sign that stands for %.
  [
    "ctranspose",
    exactly(
      (a) => fraction(a.top, a.bottom * 100n),
      (a) => a / 100,
    ),
  ],
]);

/** Exact where the arguments are and the result can be; of doubles else. */
export function exactly(
  exact: (a: Fraction, b: Fraction) => Fraction | undefined,
  approximate: (a: number, b: number) => number,
): Operate {
  return (a, b) => {
    const result = typeof a === "number" || typeof b === "number" ? undefined : exact(a, b);
    if (result !== undefined && bitsOf(result.top) <= mostBits && bitsOf(result.bottom) <= mostBits) return result;
    const rough = approximate(toNumber(a), toNumber(b));
    // Too close to zero for a double.
    return result !== undefined && rough === 0 ? Number.POSITIVE_INFINITY : rough;
  };
}

/** A function that other numbers than whole ones have no value of. */
export function ofWholeNumbers(call: (a: bigint, b: bigint) => bigint | number): (...args: Value[]) => Value {
  return (...args) => {
    const [a, b = 0n] = args.map(wholeOf);
    if (a === undefined || b === undefined) return Number.NaN;
    const result = call(a, b);
    return typeof result === "bigint" ? fraction(result) : result;
  };
}

/** The product, exact if it can be. */
export function multiply(a: Value, b: Value): Value {
  return exactly(
    (left, right) => fraction(left.top * right.top, left.bottom * right.bottom),
    (left, right) => left * right,
  )(a, b);
}

function wholeOf(value: Value): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return value.bottom === 1n ? value.top : undefined;
}

function divide(a: Fraction, b: Fraction): Fraction | undefined {
  return b.top === 0n ? undefined : fraction(a.top * b.bottom, a.bottom * b.top);
}

/** The remainder with the divisor's sign, as in mathematics. */
function remainder(a: Fraction, b: Fraction): Fraction | undefined {
  const quotient = divide(a, b);
  if (quotient === undefined) return undefined;
  return fraction(a.top * b.bottom - floor(quotient) * b.top * a.bottom, a.bottom * b.bottom);
}

function remainderOfDoubles(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

function power({ top, bottom }: Fraction, exponent: Fraction): Fraction | undefined {
  const size = exponent.top < 0n ? -exponent.top : exponent.top;
  const bits = BigInt(Math.max(bitsOf(top), bitsOf(bottom)) - 3);
  if (exponent.bottom !== 1n || bits * size > BigInt(mostBits) * 2n) return undefined;
  if (exponent.top >= 0n) return { top: top ** size, bottom: bottom ** size };
  return top === 0n ? undefined : fraction(bottom ** size, top ** size);
}
