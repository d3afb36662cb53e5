import {
  create,
  isArrayNode,
  isConstantNode,
  isFunctionNode,
  isOperatorNode,
  isParenthesisNode,
  isSymbolNode,
  type MathNode,
  parseDependencies,
} from "mathjs/number";
import { DuetError, messageOf } from "../../../core/errors.ts";
import { printableLine } from "../../../core/printable.ts";
import { type Argument, constants, functions, operators } from "./arithmetic.ts";
import { evaluateExact } from "./exact-integer.ts";
import { finite } from "./finite.ts";
import { plainExpression } from "./plain-expression.ts";

// mathjs only parses here. Its own evaluator knows units, matrices, assignment and property access; ours knows these tables.
const { parse } = create(parseDependencies ?? {});

/**
 * The value of an arithmetic expression such as `2*(3+4)^2` or `mean([1,2,3])`; of integers alone, to the last digit. Throws a
 * `DuetError` that says what it does not understand, or that a step has no finite value.
 */
export function evaluateExpression(text: string, numbers?: readonly number[]): number | bigint {
  const node = parseExpression(plainExpression(text));
  return evaluateExact(node) ?? evaluate(node, numbers);
}

function parseExpression(text: string): MathNode {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw misunderstood("嵌套过深", "it is nested too deeply");
    const reason = printableLine(messageOf(thrown));
    const how = "2*(3+4)^2, 15% * 200, sqrt(16), mean([1,2,3])";
    throw misunderstood(
      `语法错误（${reason}）。只用数字、运算符和函数，如 ${how}`,
      `syntax error (${reason}). Use digits, operators and functions only, such as ${how}`,
    );
  }
}

function evaluate(node: MathNode, numbers: readonly number[] | undefined): number {
  if (isConstantNode(node)) {
    const value: unknown = node.value;
    if (typeof value === "number") return finite(value);
    throw misunderstood(`不是数字：${shown(node)}`, `not a number: ${shown(node)}`);
  }
  if (isParenthesisNode(node)) return evaluate(node.content, numbers);
  if (isSymbolNode(node)) {
    const value = constants.get(node.name);
    if (value !== undefined) return value;
    const known = "pi, e, tau, deg";
    throw misunderstood(
      `未知的名称：${shown(node)}（可用: ${known}；不支持单位和变量，函数要加括号）`,
      `unknown name: ${shown(node)} (known: ${known}; no units or variables, and a function needs brackets)`,
    );
  }
  if (isOperatorNode(node)) {
    const operate = operators.get(node.fn);
    const [a = Number.NaN, b = Number.NaN] =
      operate === undefined ? [] : node.args.map((arg: MathNode) => evaluate(arg, numbers));
    if (operate !== undefined) return finite(operate(a, b));
  }
  if (isFunctionNode(node)) return callFunction(node.fn, node.args, numbers);
  throw misunderstood(`不支持：${shown(node)}`, `not supported: ${shown(node)}`);
}

function callFunction(callee: unknown, args: readonly MathNode[], numbers: readonly number[] | undefined): number {
  const name = isSymbolNode(callee) ? callee.name : "";
  const callable = functions.get(name);
  if (callable === undefined) {
    const known = [...functions.keys()].join(", ");
    const bad = printableLine(name.slice(0, 40));
    throw misunderstood(`未知的函数 "${bad}"（可用: ${known}）`, `unknown function "${bad}" (known: ${known})`);
  }
  const values = args.map((arg) => evaluateArgument(arg, numbers));
  const [least, most] = callable.arity;
  if (
    values.length >= least &&
    values.length <= most &&
    values.every((value) => typeof value === "number" || value.length > 0)
  ) {
    return finite(callable.call(...values));
  }
  throw misunderstood(`函数 ${name} 的参数个数不对`, `${name} was given the wrong number of arguments`);
}

function evaluateArgument(node: MathNode, numbers: readonly number[] | undefined): Argument {
  if (isArrayNode(node)) return node.items.map((item) => evaluate(item, numbers));
  if (isSymbolNode(node) && node.name === "numbers" && numbers !== undefined) return numbers;
  return evaluate(node, numbers);
}

function shown(node: MathNode): string {
  return `"${printableLine(node.toString()).slice(0, 60)}"`;
}

function misunderstood(zh: string, en: string): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: `无法计算：${zh}`, en: `The expression cannot be calculated: ${en}` },
  });
}
