import { DuetError } from "../../../kit/errors.ts";

export function expressionError(zh: string, en: string): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: `无法计算：${zh}`, en: `The expression cannot be calculated: ${en}` },
  });
}

/** Returns the value if it can be shown. Throws a `DuetError` for an overflow or for a value that is not a number. */
export function requireFinite(value: number): number {
  if (Number.isFinite(value)) return value;
  const [zh, en] = Number.isNaN(value)
    ? [
        "结果不是一个数（如 0/0、负数的平方根、单个数的样本标准差、把列表当作数字）",
        "not a number (such as 0/0, the root of a negative number, the sample deviation of one number, or a list used as a number)",
      ]
    : ["除以零，或结果超出范围", "division by zero, or the result is out of range"];
  throw new DuetError({ code: "tool", text: { zh: `无法计算：${zh}`, en: `This cannot be calculated: ${en}` } });
}
