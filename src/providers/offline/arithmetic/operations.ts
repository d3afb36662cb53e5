import type { Text } from "../../../kit/locale.ts";

/** Describes a statistic over a list. `name` is the calculator's name for it. */
interface Operation {
  name: string;
  words: RegExp;
  text: Text;
}

const operations: readonly Operation[] = [
  {
    name: "mean",
    words: /平均(?:值|数|分)?|均值|averages?(?![a-z])|mean(?![a-z])|avg(?![a-z])/gi,
    text: { zh: "平均值", en: "mean" },
  },
  {
    name: "max",
    words: /最大(?:值|数|的)?|max(?:imum)?(?![a-z])|largest|biggest|highest/gi,
    text: { zh: "最大值", en: "maximum" },
  },
  {
    name: "min",
    words: /最小(?:值|数|的)?|min(?:imum)?(?![a-z])|smallest|lowest/gi,
    text: { zh: "最小值", en: "minimum" },
  },
  {
    name: "sum",
    words: /总和|求和|之和|合计|总计|相加|加起来|的和(?!平)|sum(?![a-z])|total(?![a-z])|add(?:ed)? up/gi,
    text: { zh: "总和", en: "sum" },
  },
  { name: "median", words: /中位数|中值|median/gi, text: { zh: "中位数", en: "median" } },
  {
    name: "std",
    words: /标准差|standard deviation|std(?:ev|dev)?(?![a-z])/gi,
    text: { zh: "标准差", en: "standard deviation" },
  },
  { name: "variance", words: /方差|variance/gi, text: { zh: "方差", en: "variance" } },
  { name: "count", words: /个数|count(?![a-z])/gi, text: { zh: "个数", en: "count" } },
  { name: "product", words: /乘积|之积|的积|相乘|连乘|product(?![a-z])/gi, text: { zh: "乘积", en: "product" } },
  { name: "range", words: /极差|range(?![a-z])/gi, text: { zh: "极差", en: "range" } },
];

export function findOperations(text: string): string[] {
  return operations
    .map(({ name, words }) => ({ name, at: text.search(words) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

export function removeOperations(text: string): string {
  return operations.reduce((rest, { words }) => rest.replace(words, " "), text);
}

/** Returns the statistic's name for people. `name` may be the calculator's Chinese label. */
export function renderOperation(name: string): Text {
  const known = operations.find((operation) => operation.name === name || operation.text.zh === name);
  return known?.text ?? { zh: name, en: name };
}
