import { mostKeys, mostValues } from "../../../kit/json.ts";
import { findShapeFault, type JsonShapeFault } from "../../../kit/json-shape.ts";
import type { Text } from "../../../kit/locale.ts";

/** Objects and lists in one another: what is deeper would overflow the stack of whoever walks through it. */
export const deepestJson = 100;

/** Says why a text was not parsed. */
export type JsonFault = "syntax" | JsonShapeFault;

export const jsonFaults: Readonly<Record<JsonFault, Text>> = {
  syntax: { zh: "请求正文不是 JSON", en: "the body is not JSON" },
  depth: { zh: `JSON 嵌套超过 ${deepestJson} 层`, en: `the JSON is nested more than ${deepestJson} levels deep` },
  keys: {
    zh: `JSON 中有一个对象超过 ${mostKeys} 个键`,
    en: `an object in the JSON has more than ${mostKeys} keys`,
  },
  values: { zh: `JSON 超过 ${mostValues} 个值`, en: `the JSON has more than ${mostValues} values` },
  "key-twice": { zh: "JSON 中有重复的键", en: "the JSON has a duplicate key" },
};

/** Parses JSON that a stranger has written; its shape is judged before anything is built from it. */
export function readJson(text: string): { value: unknown } | { fault: JsonFault } {
  const fault = findShapeFault(text, { depth: deepestJson, keys: mostKeys, values: mostValues });
  if (fault !== undefined) return { fault };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: "syntax" };
  }
}
