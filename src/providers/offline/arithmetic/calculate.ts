import { isRecord, type JsonValue } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { parseResult, quoteLine, renderResult } from "../result-text.ts";
import { getTextArgument, type Rule } from "../rules/rule.ts";
import { readExpression } from "./expression-request.ts";
import { normalizeNumbers } from "./numbers.ts";
import { renderOperation } from "./operations.ts";
import { readStatistics } from "./statistics-request.ts";

/** Arithmetic, and statistics over a list. */
export const calculate: Rule = {
  tools: ["calculator"],
  example: { zh: "计算 [1,2,3,4,5] 的平均值", en: "calculate the mean of [1,2,3,4,5]" },
  read(request, earlier) {
    const text = normalizeNumbers(request);
    return readStatistics(text, earlier) ?? readExpression(text);
  },
  purpose(args) {
    if (args.expression !== undefined) {
      const expression = getTextArgument(args, "expression");
      return { zh: `计算 ${expression}`, en: `calculate ${expression}` };
    }
    const numbers = shown(args.numbers);
    const operations = namesIn(args.operations);
    if (operations.length === 0) return { zh: `计算 ${numbers}`, en: `calculate with ${numbers}` };
    return {
      zh: `计算 ${numbers} 的${operations.map(({ zh }) => zh).join("、")}`,
      en: `calculate the ${joined(operations.map(({ en }) => en))} of ${numbers}`,
    };
  },
  tell(result, args, locale) {
    const values = valuesIn(result);
    if (values === undefined) return renderResult(result);
    const expression = getTextArgument(args, "expression");
    if (expression !== "")
      return values.map(({ sign, value }) => `${quoteLine(expression)} ${sign} ${value}`).join("\n");
    const clauses = values.map((value) => clause(value, locale));
    if (locale === "zh") return `${clauses.join("，")}。`;
    const sentence = joined(clauses);
    return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  },
};

interface Value {
  name: string | undefined;
  sign: string;
  value: string;
}

/** `mean = 3` a line, one bare number, or the same as JSON; undefined when the result is nothing of these. */
function valuesIn(result: string): Value[] | undefined {
  if (/^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(result)) return [{ name: undefined, sign: "=", value: result }];
  const answer = parseResult(result);
  if (isRecord(answer)) return entriesOf(answer);
  const lines = result.split("\n").map((line) => /^(\S.*?)\s*([=≈:：])\s*(\S.*)$/.exec(line));
  const values = lines.flatMap((match) =>
    match ? [{ name: match[1], sign: match[2] === "≈" ? "≈" : "=", value: match[3] ?? "" }] : [],
  );
  return values.length === lines.length ? values : undefined;
}

function entriesOf(answer: Record<string, unknown>): Value[] | undefined {
  const inner = answer.result ?? answer.results ?? answer;
  if (typeof inner === "number") return [{ name: undefined, sign: "=", value: String(inner) }];
  const entries = isRecord(inner) ? Object.entries(inner) : [];
  if (entries.length === 0 || entries.some(([, value]) => typeof value !== "number")) return undefined;
  return entries.map(([name, value]) => ({ name, sign: "=", value: String(value) }));
}

function clause({ name, sign, value }: Value, locale: Locale): string {
  const what = name === undefined ? say(locale, { zh: "结果", en: "result" }) : say(locale, renderOperation(name));
  const verb = sign === "≈" ? { zh: "约为", en: "is about" } : { zh: "是", en: "is" };
  const said = sampleAndPopulation(value, locale);
  return say(locale, { zh: `${what}${verb.zh} ${said}`, en: `the ${what} ${verb.en} ${said}` });
}

/** The calculator gives deviations twice: "1.58; = 1.41 (sample, n-1; population, n)". */
function sampleAndPopulation(value: string, locale: Locale): string {
  const [, sample, population] = /^(\S+); [=≈] (\S+) \(.*\)$/.exec(value) ?? [];
  if (sample === undefined || population === undefined) return value;
  return say(locale, {
    zh: `${sample}（样本，n-1）或 ${population}（总体，n）`,
    en: `${sample} (sample, n-1) or ${population} (population, n)`,
  });
}

function namesIn(operations: JsonValue | undefined): Text[] {
  return Array.isArray(operations) ? operations.map((name) => renderOperation(String(name))) : [];
}

const mostShown = 12;

function shown(numbers: JsonValue | undefined): string {
  if (!Array.isArray(numbers)) return "[]";
  return numbers.length > mostShown ? `[${numbers.slice(0, mostShown).join(",")},…]` : `[${numbers.join(",")}]`;
}

function joined(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${last}` : last;
}
