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
import { getMessage } from "../../../kit/errors.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { type Argument, constants, functions, isVariadic } from "./arithmetic.ts";
import { expressionError } from "./expression-error.ts";
import { checkFinite } from "./finite.ts";
import { readFraction, type Value } from "./fraction.ts";
import { multiplyValues, type Operate, operators } from "./operators.ts";
import { findPercentBase, readPercents, restorePercents } from "./percent.ts";
import { normalizeExpression } from "./plain-expression.ts";

// mathjs only parses here. Its own evaluator knows units, matrices, assignment and property access; ours knows these tables.
const { parse } = create(parseDependencies ?? {});

interface Scope {
  numbers: readonly Value[] | undefined;
  /** What stands on the left of each operator so far: a percentage may be of it. */
  lefts: Map<MathNode, Value>;
}

/**
 * The value of an arithmetic expression such as `2*(3+4)^2` or `mean([1,2,3])`: exact, but where a step such as `sin` is
 * not. Throws a `DuetError` that says what it does not understand, or that a step has no finite value.
 */
export function evaluateExpression(text: string, numbers?: readonly Value[]): Value {
  return evaluate(parseExpression(readPercents(normalizeExpression(text, isVariadic))), { numbers, lefts: new Map() });
}

function parseExpression(text: string): MathNode {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw expressionError("嵌套过深", "it is nested too deeply");
    const reason = sanitizeLine(restorePercents(getMessage(thrown)));
    const how = "2*(3+4)^2, 15% * 200, sqrt(16), mean([1,2,3])";
    throw expressionError(
      `语法错误（${reason}）。只用数字、运算符和函数，如 ${how}`,
      `syntax error (${reason}). Use digits, operators and functions only, such as ${how}`,
    );
  }
}

function evaluate(node: MathNode, scope: Scope): Value {
  if (isConstantNode(node)) {
    const value: unknown = node.value;
    if (typeof value === "number") return readFraction(checkFinite(value));
    throw expressionError(`不是数字：${shown(node)}`, `not a number: ${shown(node)}`);
  }
  if (isParenthesisNode(node)) return evaluate(node.content, scope);
  if (isSymbolNode(node)) {
    const value = constants.get(node.name);
    if (value !== undefined) return value;
    const known = "pi, e, tau, deg";
    throw expressionError(
      `未知的名称：${shown(node)}（可用：${known}；不支持单位和变量，函数要加括号）`,
      `unknown name: ${shown(node)} (known: ${known}; no units or variables, and a function needs brackets)`,
    );
  }
  if (isOperatorNode(node)) {
    const operate = operators.get(node.fn);
    if (operate !== undefined) return combine(node, node.args, operate, scope);
  }
  if (isFunctionNode(node)) return callFunction(node.fn, node.args, scope);
  throw expressionError(`不支持：${shown(node)}`, `not supported: ${shown(node)}`);
}

function combine(node: MathNode, [left, right]: readonly MathNode[], operate: Operate, scope: Scope): Value {
  const a = left === undefined ? Number.NaN : evaluate(left, scope);
  const b = right === undefined ? a : evaluate(right, scope);
  if (left !== undefined) scope.lefts.set(left, a);
  const base = findPercentBase(node);
  const whole = base === undefined ? undefined : scope.lefts.get(base);
  return checked(operate(a, whole === undefined ? b : multiplyValues(whole, b)));
}

/** The value, unless a double went astray. */
function checked(value: Value): Value {
  return typeof value === "number" ? checkFinite(value) : value;
}

function callFunction(callee: unknown, args: readonly MathNode[], scope: Scope): Value {
  const name = isSymbolNode(callee) ? callee.name : "";
  const callable = functions.get(name);
  if (callable === undefined) {
    const known = [...functions.keys()].join(", ");
    const bad = sanitizeLine(name.slice(0, 40));
    throw expressionError(`未知的函数 "${bad}"（可用：${known}）`, `unknown function "${bad}" (known: ${known})`);
  }
  const values = args.map((arg) => evaluateArgument(arg, scope));
  const [least, most] = callable.arity;
  if (
    values.length >= least &&
    values.length <= most &&
    values.every((value) => !Array.isArray(value) || value.length > 0)
  ) {
    return checked(callable.call(...values));
  }
  throw expressionError(`函数 ${name} 的参数个数不对`, `${name} was given the wrong number of arguments`);
}

function evaluateArgument(node: MathNode, scope: Scope): Argument {
  if (isArrayNode(node)) return node.items.map((item) => evaluate(item, scope));
  if (isSymbolNode(node) && node.name === "numbers" && scope.numbers !== undefined) return scope.numbers;
  return evaluate(node, scope);
}

function shown(node: MathNode): string {
  return `"${sanitizeLine(restorePercents(node.toString())).slice(0, 60)}"`;
}
