import { DuetError } from "../../../kit/errors.ts";

export function expressionError(zh: string, en: string): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: `无法计算：${zh}`, en: `The expression cannot be calculated: ${en}` },
  });
}
