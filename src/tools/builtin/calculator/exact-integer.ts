import { isConstantNode, isOperatorNode, isParenthesisNode, type MathNode } from "mathjs/number";

/** Digits of a result, about 1,200. */
const mostBits = 4096;
const largest = 1n << BigInt(mostBits);

/** The value of an expression of nothing but integers, to the last digit; undefined for any other, or one that is too large. */
export function evaluateExact(node: MathNode): bigint | undefined {
  const value = exact(node);
  return value === undefined || value >= largest || value <= -largest ? undefined : value;
}

function exact(node: MathNode): bigint | undefined {
  if (isConstantNode(node)) {
    const value: unknown = node.value;
    return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : undefined;
  }
  if (isParenthesisNode(node)) return evaluateExact(node.content);
  if (!isOperatorNode(node)) return undefined;
  const values = node.args.map(evaluateExact);
  if (values.includes(undefined)) return undefined;
  const [a = 0n, b = 0n] = values;
  return operate(node.fn, a, b);
}

function operate(name: string, a: bigint, b: bigint): bigint | undefined {
  switch (name) {
    case "add":
      return a + b;
    case "subtract":
      return a - b;
    case "multiply":
      return a * b;
    case "divide":
      return b !== 0n && a % b === 0n ? a / b : undefined;
    case "mod":
      return b === 0n ? undefined : ((a % b) + b) % b;
    case "pow":
      return power(a, b);
    case "unaryMinus":
      return -a;
    case "unaryPlus":
      return a;
    case "factorial":
      return factorial(a);
    default:
      return undefined;
  }
}

function power(base: bigint, exponent: bigint): bigint | undefined {
  const bits = BigInt(base.toString(2).length);
  return exponent < 0n || bits * exponent > BigInt(mostBits) * 2n ? undefined : base ** exponent;
}

function factorial(n: bigint): bigint | undefined {
  // 500! has 3,768 bits.
  if (n < 0n || n > 500n) return undefined;
  let product = 1n;
  for (let factor = 2n; factor <= n; factor++) product *= factor;
  return product;
}
