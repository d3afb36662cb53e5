import { isOperatorNode, type MathNode } from "mathjs/number";
import { expressionError } from "./expression-error.ts";

/** The sign behind a number that the parser knows and nobody writes: here it means percent. */
const percentSign = "'";

/**
 * `%` means percent, unless a number follows it with the same spacing on both sides (`10 % 3`, `10%3`): then it is the remainder.
 * Before `+`, `-` and other signs, brackets that close and the end it is percent. Throws where it could be either.
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

/** What was written, of what the parser read. */
export function restorePercents(text: string): string {
  return text.replaceAll(percentSign, "%");
}

/** A percentage alone, or a sum of such. In brackets it is a number like any other. */
function isPercentage(node: MathNode | undefined): boolean {
  if (!isOperatorNode(node)) return false;
  const name: string = node.fn;
  if (name === "ctranspose") return true;
  const isSum = ["add", "subtract", "unaryMinus", "unaryPlus"].includes(name);
  return isSum && node.args.every((arg: MathNode) => isPercentage(arg));
}

/**
 * What a percentage that is added or subtracted is a percentage of: what stands before it without other percentages, so that
 * `100 + 10%` is 110 and `100 - 5% - 3%` is 92. Undefined where it is plainly added, as in `5% + 3%`.
 */
export function findPercentBase(node: MathNode): MathNode | undefined {
  if (!isOperatorNode(node) || (node.fn !== "add" && node.fn !== "subtract")) return undefined;
  const [left, right] = node.args;
  if (left === undefined || !isPercentage(right) || isPercentage(left)) return undefined;
  return findPercentBase(left) ?? left;
}
