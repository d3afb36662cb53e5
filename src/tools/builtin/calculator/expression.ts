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
import { expressionError, requireFinite } from "./calculator-errors.ts";
import { readFraction, type Value } from "./fraction.ts";
import { multiplyValues, type Operate, operators } from "./operators.ts";

/** The parser knows this postfix sign and nobody writes it, so it stands for percent here. */
const percentSign = "'";

/**
 * Reads `%` as percent, unless a number follows it with the same spacing on both sides (`10 % 3`, `10%3`), which makes it the
 * remainder. It is percent before `+`, `-` and other signs, closing brackets and the end. Throws when it could be either.
 */
export function readPercents(text: string): string {
  if (text.includes(percentSign)) throw expressionError("不支持引号", "quotes are not supported");
  return text.replace(/(\s*)%(\s*)(?=([+-]\s?)?([\d.(a-zπ[]?))/giu, (found, before, after, sign = "", next, offset) => {
    const spaced = [before, after].filter((blank) => blank !== "").length;
    if (next === "") return `${percentSign}${after}`;
    // `10 % -3`: the sign may belong to the number.
    const isTight = sign.length === 1;
    if (sign !== "" && !(spaced === 2 && isTight)) return `${percentSign}${after}`;
    if (sign === "" && (spaced === 2 || (spaced === 0 && /[\d.]/.test(next)))) return " mod ";
    const piece = text.slice(Math.max(0, offset - 10), offset + found.length + 10).trim();
    throw expressionError(
      `"${piece}" 中的 % 可能是百分号，也可能是取余：百分之几请写 10% * 3，取余请写 10 mod 3`,
      `% in "${piece}" could mean percent or remainder: write 10% * 3 for percent, 10 mod 3 for the remainder`,
    );
  });
}

/** Restores the user's percent signs in text that was rewritten for the parser. */
function restorePercents(text: string): string {
  return text.replaceAll(percentSign, "%");
}

/** Returns true for a percentage or a sum of percentages. In brackets, a percentage is an ordinary number. */
function isPercentage(node: MathNode | undefined): boolean {
  if (!isOperatorNode(node)) return false;
  const name: string = node.fn;
  if (name === "ctranspose") return true;
  const isSum = ["add", "subtract", "unaryMinus", "unaryPlus"].includes(name);
  return isSum && node.args.every((arg: MathNode) => isPercentage(arg));
}

/**
 * Finds the value that an added or subtracted percentage applies to: the left side without other percentages, so that `100 +
 * 10%` is 110 and `100 - 5% - 3%` is 92. Returns undefined when the percentage is simply added, as in `5% + 3%`.
 */
function findPercentBase(node: MathNode): MathNode | undefined {
  if (!isOperatorNode(node) || (node.fn !== "add" && node.fn !== "subtract")) return undefined;
  const [left, right] = node.args;
  if (left === undefined || !isPercentage(right) || isPercentage(left)) return undefined;
  return findPercentBase(left) ?? left;
}

// mathjs only parses here. Its own evaluator knows units, matrices, assignment and property access; ours knows these tables.
const { parse } = create(parseDependencies ?? {});

interface Scope {
  numbers: readonly Value[] | undefined;
  /** Holds the left operand of each operator so far, because a percentage may apply to it. */
  lefts: Map<MathNode, Value>;
}

/**
 * Returns the value of an arithmetic expression such as `2*(3+4)^2` or `mean([1,2,3])`. It is exact unless a step such as `sin`
 * is not. Throws a `DuetError` that names what it does not understand, or a step that has no finite value.
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
    if (typeof value === "number") return readFraction(requireFinite(value));
    throw expressionError(`不是数字：${showNode(node)}`, `not a number: ${showNode(node)}`);
  }
  if (isParenthesisNode(node)) return evaluate(node.content, scope);
  if (isSymbolNode(node)) {
    const value = constants.get(node.name);
    if (value !== undefined) return value;
    const known = "pi, e, tau, deg";
    throw expressionError(
      `未知的名称：${showNode(node)}（可用：${known}；不支持单位和变量，函数要加括号）`,
      `unknown name: ${showNode(node)} (known: ${known}; no units or variables, and a function needs brackets)`,
    );
  }
  if (isOperatorNode(node)) {
    const operate = operators.get(node.fn);
    if (operate !== undefined) return combine(node, node.args, operate, scope);
  }
  if (isFunctionNode(node)) return callFunction(node.fn, node.args, scope);
  throw expressionError(`不支持：${showNode(node)}`, `not supported: ${showNode(node)}`);
}

function combine(node: MathNode, [left, right]: readonly MathNode[], operate: Operate, scope: Scope): Value {
  const a = left === undefined ? Number.NaN : evaluate(left, scope);
  const b = right === undefined ? a : evaluate(right, scope);
  if (left !== undefined) scope.lefts.set(left, a);
  const base = findPercentBase(node);
  const whole = base === undefined ? undefined : scope.lefts.get(base);
  return checkValue(operate(a, whole === undefined ? b : multiplyValues(whole, b)));
}

/** Returns the value. Throws for a double that is not finite. */
function checkValue(value: Value): Value {
  return typeof value === "number" ? requireFinite(value) : value;
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
    return checkValue(callable.call(...values));
  }
  throw expressionError(`函数 ${name} 的参数个数不对`, `${name} was given the wrong number of arguments`);
}

function evaluateArgument(node: MathNode, scope: Scope): Argument {
  if (isArrayNode(node)) return node.items.map((item) => evaluate(item, scope));
  if (isSymbolNode(node) && node.name === "numbers" && scope.numbers !== undefined) return scope.numbers;
  return evaluate(node, scope);
}

function showNode(node: MathNode): string {
  return `"${sanitizeLine(restorePercents(node.toString())).slice(0, 60)}"`;
}

/**
 * Rewrites an expression as people and models write it to the parser's syntax: `3×√16`, `1,234.5 + 15% of 200`, `2的3次方`. Throws
 * when a comma could separate either thousands or the arguments of a function that takes many.
 */
export function normalizeExpression(text: string, takesMany: (name: string) => boolean): string {
  const plain = withPowers(text)
    .normalize("NFKC")
    .replace(/(=\s*\??|\?|等于(多少|几)?|是多少)\s*$/, "")
    .replace(/[×∙·⋅]|乘以?/g, "*")
    .replace(/÷|除以/g, "/")
    .replace(/[−–]|减去?/g, "-")
    .replace(/加上?/g, "+")
    .replaceAll("**", "^")
    .replaceAll("⁄", "/")
    .replace(/的平方/g, "^2")
    .replace(/的立方/g, "^3")
    .replace(/(\d)的(\d+)次方/g, "$1^$2")
    .replace(/%\s*of\b|的(?=\d+(\.\d+)?%)/g, (found) => (found.startsWith("%") ? "% *" : "*"))
    .replace(/[¥$€£](?=\s*[\d.])/g, "")
    .replace(/(?<=\d)_(?=\d)/g, "")
    .replaceAll("°", " deg ")
    .replace(/\|([^|]+)\|/g, "abs($1)")
    .replace(/([√∛])\s*(\(|\d+(?:\.\d+)?|[a-zπ]+)/giu, (_, sign: string, of: string) => {
      const name = sign === "√" ? "sqrt" : "cbrt";
      return of === "(" ? ` ${name}(` : ` ${name}(${of})`;
    });
  return splitLong(
    removeThousands(plain, takesMany).replace(/(\d+(?:\.\d+)?)\s*([万亿])/g, (_, number: string, unit: string) =>
      unit === "万" ? `(${number}*10^4)` : `(${number}*10^8)`,
    ),
  );
}

/** Reads `3²` as `3^(2)` and `1½` as one and a half. This must run before they are normalised to plain digits. */
function withPowers(text: string): string {
  return text
    .replace(/[⁺⁻⁰¹²³⁴-⁹]+/g, (power) => `^(${power.normalize("NFKC").replaceAll("−", "-")})`)
    .replace(/(\d*)\s*([¼-¾⅐-⅞])/g, (_, whole: string, part: string) => {
      const fraction = part.normalize("NFKC").replace("⁄", "/");
      return whole === "" ? `(${fraction})` : `(${whole}+${fraction})`;
    });
}

/** Takes the commas out of `1,234,567`, but not out of the arguments of a function or a list, where they separate. */
function removeThousands(text: string, takesMany: (name: string) => boolean): string {
  // The function of each open bracket, "[" for a list, "" where it only groups.
  const open: string[] = [];
  const characters = [...text];
  let plain = "";
  for (const [index, character] of characters.entries()) {
    if (character === "(") open.push(/[a-z]\w*(?=\s*$)/i.exec(plain)?.[0] ?? "");
    else if (character === "[") open.push("[");
    else if (character === ")" || character === "]") open.pop();
    const within = open.at(-1) ?? "";
    const isThousands = character === "," && isGroup(characters, index);
    if (isThousands && takesMany(within)) throw unclearCommaError(within);
    if (!isThousands || within !== "") plain += character;
  }
  return plain;
}

/** Returns true when the comma is placed like a thousands separator. */
function isGroup(characters: readonly string[], index: number): boolean {
  const before = characters.slice(Math.max(0, index - 40), index).join("");
  const after = characters.slice(index + 1, index + 5).join("");
  return /(^|[^\d.])\d{1,3}(,\d{3})*$/.test(before) && /^\d{3}(?!\d)/.test(after);
}

function unclearCommaError(name: string): Error {
  return expressionError(
    `${name}(…) 里的逗号可能分隔千位，也可能分隔参数：参数写成 1, 234，千位写成 1234`,
    `a comma in ${name}(...) could stand between thousands or arguments: write 1, 234 for two arguments, 1234 for one number`,
  );
}

/** Writes a number that a double does not hold as whole numbers that it does, because the parser reads numbers as doubles. */
function splitLong(text: string): string {
  return text.replace(/(?<![\d.a-z_])(\d+)(?:\.(\d+))?(?![\d.a-z_])/gi, (found, whole: string, part = "") => {
    if (found.replace(/\D/g, "").length <= 15) return found;
    return part === "" ? split(whole) : `(${split(whole + part)}/10^${part.length})`;
  });
}

function split(digits: string): string {
  if (digits.length <= 15) return String(Number(digits));
  return `(${split(digits.slice(0, -15))}*10^15+${split(digits.slice(-15))})`;
}
