import { isRecord, type JsonObject, type JsonValue } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { parseResult, quoteLine, renderResult } from "../result-text.ts";
import { getContent } from "../rules/file-hits.ts";
import { getTextArgument, type Rule, type RuleMatch } from "../rules/rule.ts";
import { findOperations, removeOperations, renderOperation } from "./operations.ts";

/** Recognises arithmetic, and statistics over a list. */
export const calculate: Rule = {
  tools: ["calculator"],
  example: { zh: "计算 [1,2,3,4,5] 的平均值", en: "calculate the mean of [1,2,3,4,5]" },
  read(request, earlier) {
    const text = normalizeNumbers(request);
    return readStatistics(text, earlier) ?? readExpression(text);
  },
  isPlain: (request) => isPlainCalculation(normalizeNumbers(request)),
  purpose(args) {
    if (args.expression !== undefined) {
      const expression = getTextArgument(args, "expression");
      return { zh: `计算 ${expression}`, en: `calculate ${expression}` };
    }
    const numbers = formatNumbers(args.numbers);
    const operations = listNames(args.operations);
    if (operations.length === 0) return { zh: `计算 ${numbers}`, en: `calculate with ${numbers}` };
    return {
      zh: `计算 ${numbers} 的${operations.map(({ zh }) => zh).join("、")}`,
      en: `calculate the ${joinItems(operations.map(({ en }) => en))} of ${numbers}`,
    };
  },
  renderResult(result, args, locale) {
    const values = readValues(result);
    if (values === undefined) return renderResult(result);
    const expression = getTextArgument(args, "expression");
    if (expression !== "")
      return values.map(({ sign, value }) => `${quoteLine(expression)} ${sign} ${value}`).join("\n");
    const clauses = values.map((value) => toClause(value, locale));
    if (locale === "zh") return `${clauses.join("，")}。`;
    const sentence = joinItems(clauses);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  },
};

interface Value {
  name: string | undefined;
  sign: string;
  value: string;
}

/** Reads `mean = 3` lines, one bare number, or the same as JSON. Returns undefined when the result is none of these. */
function readValues(result: string): Value[] | undefined {
  if (/^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(result)) return [{ name: undefined, sign: "=", value: result }];
  const answer = parseResult(result);
  if (isRecord(answer)) return readEntries(answer);
  const lines = result.split("\n").map((line) => /^(\S.*?)\s*([=≈:：])\s*(\S.*)$/.exec(line));
  const values = lines.flatMap((match) =>
    match ? [{ name: match[1], sign: match[2] === "≈" ? "≈" : "=", value: match[3] ?? "" }] : [],
  );
  return values.length === lines.length ? values : undefined;
}

function readEntries(answer: Record<string, unknown>): Value[] | undefined {
  const inner = answer.result ?? answer.results ?? answer;
  if (typeof inner === "number") return [{ name: undefined, sign: "=", value: String(inner) }];
  const entries = isRecord(inner) ? Object.entries(inner) : [];
  if (entries.length === 0 || entries.some(([, value]) => typeof value !== "number")) return undefined;
  return entries.map(([name, value]) => ({ name, sign: "=", value: String(value) }));
}

function toClause({ name, sign, value }: Value, locale: Locale): string {
  const what = name === undefined ? say(locale, { zh: "结果", en: "result" }) : say(locale, renderOperation(name));
  const verb = sign === "≈" ? { zh: "约为", en: "is about" } : { zh: "是", en: "is" };
  const said = describeSampleAndPopulation(value, locale);
  return say(locale, { zh: `${what}${verb.zh} ${said}`, en: `the ${what} ${verb.en} ${said}` });
}

/** Splits the two deviations that the calculator returns: "1.58; = 1.41 (sample, n-1; population, n)". */
function describeSampleAndPopulation(value: string, locale: Locale): string {
  const [, sample, population] = /^(\S+); [=≈] (\S+) \(.*\)$/.exec(value) ?? [];
  if (sample === undefined || population === undefined) return value;
  return say(locale, {
    zh: `${sample}（样本，n-1）或 ${population}（总体，n）`,
    en: `${sample} (sample, n-1) or ${population} (population, n)`,
  });
}

function listNames(operations: JsonValue | undefined): Text[] {
  return Array.isArray(operations) ? operations.map((name) => renderOperation(String(name))) : [];
}

const mostShown = 12;

function formatNumbers(numbers: JsonValue | undefined): string {
  if (!Array.isArray(numbers)) return "[]";
  return numbers.length > mostShown ? `[${numbers.slice(0, mostShown).join(",")},…]` : `[${numbers.join(",")}]`;
}

function joinItems(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${last}` : last;
}

/**
 * Recognises "the mean of 1, 2 and 3" and "[10,20,30] 的平均值、最大值和最小值". Takes the numbers in the text, or those in the last result
 * when the text refers to them. `text` has normalised numbers. Returns undefined when it is about something else.
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
  en: "There are no numbers in the previous result, so nothing was calculated.",
};

const tooMuch = {
  zh: "这个算式看不懂；请把统计和运算分开写，例如“计算 `[1,2,3]` 的平均值”。",
  en: 'That is more than one calculation; ask for the statistic alone, for instance "calculate the mean of `[1,2,3]`".',
};

/**
 * Recognises "计算 2+3*4", "what is 12.5% of 80", "3 加 4 等于多少" and "sqrt(16)". `text` has normalised numbers. Returns undefined
 * when it has no expression, or does not ask for its value.
 */
export function readExpression(text: string): RuleMatch | undefined {
  const symbols = toSymbols(text);
  const rest = trimExpression(symbols.replace(command, "").replace(question, ""));
  const asked = rest !== trimExpression(symbols);
  const candidates = Array.from(rest.matchAll(candidate), (match) => ({
    text: trimExpression(match[0]),
    alone: !/\w$/.test(rest.slice(0, match.index)) && !/^\w/.test(rest.slice(match.index + match[0].length)),
  })).filter((found) => found.alone && (isExpression(found.text) || found.text === rest));
  const [first, second] = candidates;
  if (first === undefined || isDate.test(first.text)) return undefined;
  if (second !== undefined && asked) return { refusal: oneAtATime };
  const whole = first.text === rest;
  if (whole ? asked || isExpression(first.text) : asked && isExpression(first.text)) {
    return { arguments: { expression: first.text.replace(/^\(([^()]*)\)$/, "$1") } };
  }
  return undefined;
}

/** Returns true when nothing stands beside the numbers, the operations and the words that ask for their result. */
function isPlainCalculation(text: string): boolean {
  if (findOperations(text).length === 0) {
    const rest = trimExpression(toSymbols(text).replace(command, "").replace(question, ""));
    return rest.replace(candidate, "") === "";
  }
  const beside = removeOperations(text.replace(/\[[^[\]]*\]|\([^()]*,[^()]*\)/, " "));
  return !/\p{L}/u.test(beside.replace(/to|through|到|至/gi, " ").replace(plainWords, ""));
}

/** Replaces words for operators by the operators. */
function toSymbols(text: string): string {
  const joined = replacements.reduce((rest, [words, symbol]) => rest.replace(words, symbol), removeSeparators(text));
  return joined.replace(needlessBrackets, "$1");
}

/** Turns 1,200 into 1200, but leaves gcd(100,200). */
function removeSeparators(text: string): string {
  if (/[a-z0-9]\s?\(/i.test(text)) return text;
  return text.replace(/(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(",", ""));
}

// Bounded, so that a text of digits is not scanned from each of them to its end.
const number = "(?<![\\d.])(?:\\d{1,400}(?:\\.\\d{1,400})?|\\.\\d{1,400})";
const signed = `(?:(?<![\\d)!%]\\s?)-)?${number}`;
const needlessBrackets = new RegExp(`(?<![a-z0-9]\\s?)\\((${number})\\)`, "gi");
const replacements: readonly [RegExp, string][] = [
  [new RegExp(`百分之\\s?(${number})`, "g"), "$1%"],
  [new RegExp(`(${number})\\s?(?:%|percent|per cent)\\s+of\\s+(${number})`, "gi"), "($1 / 100 * $2)"],
  [new RegExp(`(${number})\\s?的\\s?(${number})\\s?%`, "g"), "($1 * $2 / 100)"],
  [new RegExp(`(${signed})\\s?的\\s?(${number})\\s?次方`, "g"), "($1) ^ $2"],
  [new RegExp(`(?:根号|(?:the )?square root of)\\s?(${number})`, "gi"), "sqrt($1)"],
  [new RegExp(`(${number})\\s?的\\s?(?:平方根|算术平方根)`, "g"), "sqrt($1)"],
  [new RegExp(`(${signed})\\s?(?:的\\s?平方|squared(?![a-z]))`, "gi"), "($1) ^ 2"],
  [new RegExp(`(${signed})\\s?(?:的\\s?立方|cubed(?![a-z]))`, "gi"), "($1) ^ 3"],
  [new RegExp(`(${number})\\s?(?:的\\s?阶乘|factorial)`, "gi"), "$1!"],
  [/\s?(?:to the power of|的?次幂)\s?/gi, " ^ "],
  [/(?<=[\d)\]%!]\s?)(?:加上|加|(?<![a-z])plus(?![a-z]))(?=\s?[\d(.-])/gi, " + "],
  [/(?<=[\d)\]%!]\s?)(?:减去|减|(?<![a-z])minus(?![a-z]))(?=\s?[\d(.-])/gi, " - "],
  [/(?<=[\d)\]%!]\s?)(?:乘以|乘上|乘|(?<![a-z])(?:times|multiplied by|x)(?![a-z]))(?=\s?[\d(.-])/gi, " * "],
  [/(?<=[\d)\]%!]\s?)(?:除以|(?<![a-z])(?:divided by|over)(?![a-z]))(?=\s?[\d(.-])/gi, " / "],
  [/(?<=[\d)]\s?)(?:取余|取模|模|(?<![a-z])mod(?:ulo)?(?![a-z]))(?=\s?[\d(.-])/gi, " % "],
];

const command =
  /^(?:(?:用|使用|use|with)\s?(?:the\s)?(?:计算器|calculator)\s*(?:工具|tool|to)?\s*)?(?:计算(?:一下|出)?|算一算|算一?下|算出|算|求出|求|calculate|compute|evaluate|work out|solve|what(?:'s| is| are)|how much is|tell me)(?![a-z])(?:\s?(?:表达式|算式|the value of|the result of|the expression))?\s*[:：]?/i;

const question =
  /\s*(?:的?(?:结果|值|答案)?(?:是多少|等于多少|等于几|得多少|得几|是几|等于)|的(?:结果|值|答案)|equals?(?: what)?|is what|=)?(?:[\s?=。.吗呢啊]|(?<![\d)\s]\s?)!)*$/i;

const functions =
  "sqrt|cbrt|abs|sign|floor|ceil|trunc|round|exp|ln|log10|log2|log|lg|sinh|cosh|tanh|asin|acos|atan2|atan|sin|cos|tan|hypot|gcd|lcm|pow|mod|factorial|pi|tau|e";
const candidate = new RegExp(
  `(?:${number}(?:e[-+]?\\d+)?|(?<![a-z])(?:${functions})(?![a-z])|[-+*/^%!(),]|\\s)+`,
  "gi",
);

function trimExpression(text: string): string {
  return text.replace(/^[\s,]+|[\s,]+$/g, "").replace(/\s+/g, " ");
}

/** Returns true for two operands and an operator, or a function call. */
function isExpression(text: string): boolean {
  return (
    /\d/.test(text) &&
    (/[\d)%!]\s?(?:[-+*/^]|%\s?(?=[\d(]))/.test(text) || /[a-z0-9]+\s?\(/i.test(text) || /\d!/.test(text))
  );
}

const isDate = /^(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{3,4}-\d{4,8}(?:-\d+)?)$/;

const oneAtATime = {
  zh: "一次只算一个算式；请用“然后”把它们连起来，例如“计算 1+2，然后计算 3*4”。",
  en: 'One expression at a time; join them with "then", for instance "calculate 1+2, then calculate 3*4".',
};

/**
 * Returns the text with ASCII digits, brackets, signs and separators in place of the variants that people and input methods
 * write.
 */
function normalizeNumbers(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[【〔〖]/g, "[")
    .replace(/[】〕〗]/g, "]")
    .replace(/[、﹐]/g, ",")
    .replace(/[−–﹣]/g, "-")
    .replace(/负\s?(?=\d)/g, "-")
    .replace(/[×✕✖∗]/g, "*")
    .replace(/÷/g, "/");
}

/** Returns the separate numbers in a plain text, in order. Digits inside names and words do not count. */
function findNumbers(text: string): number[] {
  return Array.from(text.matchAll(aNumber), ([number]) => Number(number)).filter(Number.isFinite);
}

/** Reads "1,000" as one number, unless other numbers beside it indicate a list. */
export function removeThousands(text: string): string {
  const joined = text.replace(thousands, (number) => number.replaceAll(",", ""));
  return findNumbers(joined).length > 1 ? joined : text;
}

/**
 * Expands "1 到 100" and "1 to 100" into all whole numbers of the range. Returns undefined when there is no such range or it is
 * too long.
 */
export function findRange(text: string): number[] | undefined {
  const [, from, to] =
    /(?<![\w.])(-?\d{1,9})\s?(?:到|至|~|to|through|\.\.\.?)\s?(-?\d{1,9})(?![\w.])/i.exec(text) ?? [];
  const length = Number(to) - Number(from) + 1;
  if (!(length >= 2 && length <= longestRange)) return undefined;
  return Array.from({ length }, (_, index) => Number(from) + index);
}

const longestRange = 1000;

// Not part of a word, a date, a time, a version or a path; a Chinese character may stand right beside it.
const aNumber =
  /(?<![\w.]|\w[/-]|\d:)[-+]?(?:\d{1,400}(?:\.\d{1,400})?|\.\d{1,400})(?:e[-+]?\d{1,3})?(?!\w|\.\d|[-:/]\d)/gi;
const thousands = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;
