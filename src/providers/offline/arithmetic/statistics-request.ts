import type { JsonObject } from "../../../kit/json.ts";
import { getContent } from "../rules/file-hits.ts";
import type { RuleMatch } from "../rules/rule.ts";
import { findNumbers, findRange, normalizeNumbers, removeThousands } from "./numbers.ts";
import { findOperations, removeOperations } from "./operations.ts";

/**
 * "the mean of 1, 2 and 3", "[10,20,30] 的平均值、最大值和最小值": the numbers in the text, or those in the last result when
 * the text speaks of them. `text` has plain numbers; undefined when it is about something else.
 */
export function readStatistics(text: string, earlier: readonly string[]): RuleMatch | undefined {
  const operations = findOperations(text);
  if (operations.length === 0) return undefined;
  const list = /\[([^[\]]*)\]|\(([^()]*,[^()]*)\)/.exec(text);
  const outside = removeOperations(list ? text.replace(list[0], " ") : text);
  if (list) {
    const numbers = findNumbers(list[1] ?? list[2] ?? "");
    if (numbers.length === 0) return { refusal: noNumbers };
    return moreToDo.test(outside) ? { refusal: tooMuch } : { arguments: { numbers, operations } };
  }
  const range = findRange(outside);
  const numbers = range ?? findNumbers(removeThousands(outside));
  const words = outside.replace(/[-+]?[\d.]+(?:e[-+]?\d+)?|to|through|到|至|~/gi, " ").replace(plainWords, "");
  if (/[\p{L}*/^]/u.test(words)) return undefined;
  if (numbers.length > 0) return { arguments: { numbers, operations } };
  return fromResult(earlier.at(-1), operations);
}

function fromResult(
  result: string | undefined,
  operations: string[],
): { arguments: JsonObject } | { refusal: typeof noNumbers } {
  if (result === undefined) return { refusal: noNumbers };
  const numbers = findNumbers(normalizeNumbers(getContent(result))).slice(0, mostNumbers);
  return numbers.length === 0 ? { refusal: noNumbersInResult } : { arguments: { numbers, operations } };
}

const mostNumbers = 1000;

// Digits or an operator beside the list: the request is more than the statistic, and half an answer would be a wrong one.
const moreToDo = /\d|[*/^+]|[加减乘除]|(?<![a-z])(?:plus|minus|times|divided|multiplied|squared)(?![a-z])/i;

// What may stand beside numbers and statistics in a request that is about nothing else.
const plainWords =
  /计算|算一?下|算出|算|求出|求|统计|告诉我|一下|上面|前面|刚才|找到|搜索到?|文件|结果|其中|里面?|中|出现|这些|那些|这组|所有|全部|它们|数字|数据|数值|数列|列表|一组|几个|数|把|将|的|和|与|跟|及|以及|还有|是|多少|等于|为|各|分别|(?<!^)什么|值|用|工具|(?<![a-z])(?:calculator|calculate|compute|work out|find|get|give|me|show|tell|what|is|are|s|the|of|for|and|as well|numbers?|lists?|values?|these|those|them|they|that|it|following|data|set|all|in|from|with|this|files?|results?|found|contents?|hits?|a|an|use|using)(?![a-z])/gi;

const noNumbers = {
  zh: "没有可用的数字；请写出来，例如“计算 `[1,2,3]` 的平均值”。",
  en: 'There are no numbers to work with; write them out, for instance "calculate the mean of `[1,2,3]`".',
};

const noNumbersInResult = {
  zh: "前面的结果里没有数字，所以没有计算。",
  en: "There are no numbers in the result before, so nothing was calculated.",
};

const tooMuch = {
  zh: "这个算式看不懂；请把统计和运算分开写，例如“计算 `[1,2,3]` 的平均值”。",
  en: 'That is more than one calculation; ask for the statistic alone, for instance "calculate the mean of `[1,2,3]`".',
};
