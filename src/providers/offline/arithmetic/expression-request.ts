import type { RuleMatch } from "../rules/rule.ts";

/**
 * "计算 2+3*4", "what is 12.5% of 80", "3 加 4 等于多少", "sqrt(16)". `text` has plain numbers; undefined when there is no
 * expression in it, or nothing asks for its value.
 */
export function readExpression(text: string): RuleMatch | undefined {
  const symbols = inSymbols(text);
  const rest = trimmed(symbols.replace(command, "").replace(question, ""));
  const asked = rest !== trimmed(symbols);
  const candidates = Array.from(rest.matchAll(candidate), (match) => ({
    text: trimmed(match[0]),
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

/** Words for operators as the operators themselves. */
function inSymbols(text: string): string {
  const joined = replacements.reduce((rest, [words, symbol]) => rest.replace(words, symbol), withoutSeparators(text));
  return joined.replace(needlessBrackets, "$1");
}

/** 1,200 as 1200, but not in gcd(100,200). */
function withoutSeparators(text: string): string {
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

function trimmed(text: string): string {
  return text.replace(/^[\s,]+|[\s,]+$/g, "").replace(/\s+/g, " ");
}

/** Two operands and what joins them, or a function of something. */
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
