import type { ParseErrorCode } from "jsonc-parser";
import type { Text } from "../../kit/locale.ts";
import { configError } from "../config-errors.ts";

type Container = { value: Record<string, unknown> | unknown[]; key: string };

const deepest = 64;

/**
 * Reads JSON with comments and trailing commas (with `plain`, without either). Throws at the first fault, as `file:line:column`.
 * `firstLine` is the number of the first line. Keys that are given twice, `__proto__` and NUL characters are faults too.
 */
export async function parseJson(text: string, where: string, plain = false, firstLine = 1): Promise<unknown> {
  const { visit } = await import("jsonc-parser");
  const open: Container[] = [];
  let root: unknown;

  function throwAt(line: number, column: number, what: Text): never {
    throw configError(`${where}:${line + firstLine}:${column + 1}`, what);
  }
  function addValue(value: unknown): void {
    const container = open.at(-1);
    if (container === undefined) root = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else container.value[container.key] = value;
  }
  function begin(value: Container["value"], line: number, column: number): void {
    if (open.length === deepest) throwAt(line, column, tooDeep);
    addValue(value);
    open.push({ value, key: "" });
  }

  visit(
    text.replace(/^\uFEFF/, " "),
    {
      onObjectBegin: (_offset, _length, line, column) => begin({}, line, column),
      onArrayBegin: (_offset, _length, line, column) => begin([], line, column),
      onObjectEnd: () => void open.pop(),
      onArrayEnd: () => void open.pop(),
      onObjectProperty: (key, _offset, _length, line, column) => {
        const container = open.at(-1);
        if (container === undefined) return;
        if (key === "__proto__" || key.includes("\0")) throwAt(line, column, describeForbidden(key));
        if (Object.hasOwn(container.value, key)) throwAt(line, column, describeTwice(key));
        container.key = key;
      },
      onLiteralValue: (value: unknown, _offset, _length, line, column) => {
        if (typeof value === "string" && value.includes("\0")) throwAt(line, column, nulCharacter);
        addValue(value);
      },
      onError: (code, _offset, _length, line, column) => throwAt(line, column, faults[code] ?? notJson),
    },
    { disallowComments: plain, allowTrailingComma: !plain },
  );
  return root;
}

const tooDeep: Text = { zh: `嵌套超过 ${deepest} 层`, en: `nested more than ${deepest} levels deep` };
const notJson: Text = { zh: "不是有效的 JSON", en: "not valid JSON" };
const nulCharacter: Text = { zh: "不能包含 NUL 字符", en: "a NUL character is not allowed" };
const describeForbidden = (key: string): Text => ({
  zh: `不允许使用键 ${JSON.stringify(key)}`,
  en: `the key ${JSON.stringify(key)} is not allowed`,
});
const describeTwice = (key: string): Text => ({
  zh: `键 ${JSON.stringify(key)} 重复`,
  en: `duplicate key ${JSON.stringify(key)}`,
});

const faults: Record<ParseErrorCode, Text> = {
  1: { zh: "无法识别的符号（字符串需要双引号）", en: "unknown symbol (strings need double quotes)" },
  2: { zh: "数字格式无效", en: "not a valid number" },
  3: { zh: "此处应为双引号括起的键", en: "expected a key in double quotes" },
  4: { zh: "此处应为一个值", en: "expected a value" },
  5: { zh: "此处应为冒号", en: "expected a colon" },
  6: { zh: "此处应为逗号", en: "expected a comma" },
  7: { zh: "此处应为 }", en: "expected }" },
  8: { zh: "此处应为 ]", en: "expected ]" },
  9: { zh: "值之后不应再有内容", en: "unexpected content after the value" },
  10: { zh: "此处不允许注释", en: "a comment is not allowed here" },
  11: { zh: "注释没有结束", en: "the comment is not closed" },
  12: { zh: "字符串没有结束", en: "the string is not closed" },
  13: { zh: "数字没有写完", en: "the number is not complete" },
  14: { zh: "无效的 \\u 转义", en: "not a valid \\u escape" },
  15: { zh: "无效的转义字符", en: "not a valid escape" },
  16: { zh: "字符串中有无效字符", en: "the string contains a character that must be escaped" },
};
