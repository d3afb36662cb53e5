import { toInvalidArgumentsResult } from "../../../core/tools/argument-feedback.ts";
import { createFailure, type Tool, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createBuiltinTool, createSuccess } from "../../create-tool.ts";
import { expressionError, requireFinite } from "./calculator-errors.ts";
import { type Fraction, getTop, readFraction, toNumber, type Value } from "./fraction.ts";
import { statistics } from "./statistics.ts";

const labels = {
  count: { zh: "个数", en: "count" },
  sum: { zh: "总和", en: "sum" },
  mean: { zh: "平均值", en: "mean" },
  average: { zh: "平均值", en: "average" },
  median: { zh: "中位数", en: "median" },
  mode: { zh: "众数", en: "mode" },
  min: { zh: "最小值", en: "min" },
  max: { zh: "最大值", en: "max" },
  range: { zh: "极差", en: "range" },
  product: { zh: "乘积", en: "product" },
  std: { zh: "标准差", en: "std" },
  variance: { zh: "方差", en: "variance" },
} satisfies Record<string, Text>;

type Operation = keyof typeof labels;

/**
 * Creates the tool for arithmetic and statistics without `eval`: mathjs parses the expression, and a table of our own evaluates
 * it.
 */
export function createCalculator(locale: Locale): Tool {
  return createBuiltinTool({
    name: "calculator",
    description: say(locale, {
      zh: "计算一个或多个算式，或对一组数字做统计（平均值、最大值、最小值等）",
      en: "Calculates one or many expressions in one call, or statistics over a list of numbers (mean, max, min ...).",
    }),
    inputSchema: {
      type: "object",
      properties: {
        expression: {
          type: "string",
          minLength: 1,
          maxLength: 1000,
          description: say(locale, {
            zh: "算式，如 2*(3+4)^2、15% * 200、sqrt(16)；或日期，如 2026-11-21 - 2026-01-01",
            en: "Such as 2*(3+4)^2, 15% * 200, sqrt(16), or dates: 2026-11-21 - 2026-01-01",
          }),
        },
        expressions: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 1000 },
          minItems: 1,
          maxItems: 50,
          description: say(locale, {
            zh: "一次算多个算式，代替 expression；每个占一行，一个出错不影响其他",
            en: "Several expressions at once, instead of expression; each is answered on its own line, and an error in one does not affect the others",
          }),
        },
        numbers: {
          type: "array",
          items: { type: "number" },
          minItems: 1,
          maxItems: 10_000,
          description: say(locale, { zh: "要统计的数字", en: "The numbers for the operations" }),
        },
        operations: {
          type: "array",
          items: { type: "string", enum: Object.keys(labels) },
          minItems: 1,
          maxItems: 20,
          description: say(locale, { zh: "对 numbers 做的统计", en: "What to compute over the numbers" }),
        },
      },
      additionalProperties: false,
    },
    run: (args, context) => calculate(args, context.locale),
  });
}

/** Loads what a call with these arguments needs, so that its time limit does not cover the loading. */
export async function prepareCalculator({ expression, expressions }: JsonObject): Promise<void> {
  if (expression !== undefined || expressions !== undefined) await loadExpression();
}

/** mathjs is slow to load, so only the first expression pays for it. */
function loadExpression(): Promise<typeof import("./expression.ts")> {
  return import("./expression.ts");
}

async function calculate(args: JsonObject, locale: Locale): Promise<ToolResult> {
  const numbers = Array.isArray(args.numbers)
    ? args.numbers.filter((value) => typeof value === "number").map(readFraction)
    : undefined;
  const wanted = Array.isArray(args.operations) ? args.operations.filter(isOperation) : undefined;
  if (wanted !== undefined && numbers === undefined) {
    return toInvalidArgumentsResult(locale, [
      { path: "numbers", text: { zh: "字段是必需的（缺失）", en: "this field is required (missing)" } },
    ]);
  }
  const expressions = Array.isArray(args.expressions) ? args.expressions.map(String) : undefined;
  if (args.expression !== undefined && expressions !== undefined) {
    const zh = "expression 和 expressions 只能给一个";
    return toInvalidArgumentsResult(locale, [
      { path: "", text: { zh, en: "give either expression or expressions, not both" } },
    ]);
  }
  if (args.expression === undefined && expressions === undefined && numbers === undefined) {
    const zh = "需要 expression、expressions 或 numbers";
    return toInvalidArgumentsResult(locale, [
      { path: "", text: { zh, en: "expression, expressions or numbers is needed" } },
    ]);
  }
  try {
    const lines: string[] = [];
    let failed = 0;
    if (typeof args.expression === "string") lines.push(await solveRequest(args.expression, numbers, locale));
    for (const expression of expressions ?? []) {
      const { line, isError } = await solveOneOfMany(expression, numbers, locale);
      lines.push(line);
      if (isError) failed++;
    }
    if (numbers !== undefined && (wanted !== undefined || lines.length === 0)) {
      const operations = wanted ?? (["count", "sum", "mean", "min", "max"] as const);
      lines.push(...operations.map((operation) => describe(operation, numbers, locale)));
    }
    const text = lines.join("\n");
    return failed === lines.length ? createFailure("tool", text) : createSuccess(text);
  } catch (thrown) {
    if (thrown instanceof DuetError)
      return createFailure(thrown.code === "tool" ? "tool" : "internal", say(locale, thrown.text));
    throw thrown;
  }
}

/** Returns the answer to one expression of several as a line, which tells the error where there is no answer. */
async function solveOneOfMany(
  expression: string,
  numbers: readonly Value[] | undefined,
  locale: Locale,
): Promise<{ line: string; isError: boolean }> {
  try {
    return { line: await solveRequest(expression, numbers, locale), isError: false };
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "tool") throw thrown;
    return { line: `${sanitizeLine(expression)}: ${say(locale, thrown.text)}`, isError: true };
  }
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "string" && Object.hasOwn(labels, value);
}

async function solveRequest(
  expression: string,
  numbers: readonly Value[] | undefined,
  locale: Locale,
): Promise<string> {
  const shown = sanitizeLine(expression).replace(/[\s=＝?？]+$/, "");
  const date = calculateDate(expression, locale);
  if (date !== undefined) return `${shown} ${date}`;
  const { evaluateExpression } = await loadExpression();
  const value = evaluateExpression(expression, numbers);
  return `${shown} ${showValue(value)}`;
}

function describe(operation: Operation, numbers: readonly Value[], locale: Locale): string {
  const label = say(locale, labels[operation]);
  if (operation === "std" || operation === "variance") {
    const population = operation === "std" ? statistics.populationStd(numbers) : statistics.populationVariance(numbers);
    const sample = numbers.length < 2 ? "= -" : showValue(statistics[operation](numbers));
    const kinds = say(locale, { zh: "样本，n-1；总体，n", en: "sample, n-1; population, n" });
    return `${label} ${sample}; ${showValue(population)} (${kinds})`;
  }
  const value = statistics[operation === "average" ? "mean" : operation](numbers);
  return `${label} ${showValue(value)}`;
}

/** Limits the significant digits of a decimal. Integers are written in full. */
const mostDigits = 30;

/** Writes `= 98`, or `≈ 0.33333333333333` when not every digit is shown or known. */
function showValue(value: Value): string {
  const exact = typeof value === "number" ? undefined : writeExact(value);
  if (exact !== undefined) return `= ${exact}`;
  const double = toNumber(value);
  const isTooSmall = typeof value !== "number" && double === 0;
  const rounded = Number(requireFinite(isTooSmall ? Number.POSITIVE_INFINITY : double).toPrecision(14));
  // A double of few digits is what it was meant to be, but for noise in its last ones.
  const isKnown = typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER && countDigits(rounded) <= 12;
  return `${isKnown ? "=" : "≈"} ${rounded === 0 ? 0 : rounded}`;
}

function countDigits(value: number): number {
  return String(value)
    .replace(/e.*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "").length;
}

/** Writes every digit, or returns undefined when they do not end or are too many. */
function writeExact(value: Fraction): string | undefined {
  const { s: sign, n: top, d: bottom } = value;
  if (bottom === 1n) return String(getTop(value));
  const places = countDecimals(bottom);
  if (places === undefined) return undefined;
  const digits = String((top * 10n ** BigInt(places)) / bottom);
  if (digits.length > mostDigits) return undefined;
  const minus = sign < 0n && top !== 0n ? "-" : "";
  const exponent = digits.length - 1 - places;
  if (exponent < -7) return `${minus}${digits.replace(/^(\d)(?=\d)/, "$1.")}e${exponent}`;
  const padded = digits.padStart(places + 1, "0");
  return `${minus}${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

/** Returns how many decimals a fraction with this denominator has, or undefined when they do not end. */
function countDecimals(bottom: bigint): number | undefined {
  let rest = bottom;
  const count = [2n, 5n].map((factor) => {
    let times = 0;
    for (; rest % factor === 0n; times++) rest /= factor;
    return times;
  });
  return rest === 1n ? Math.max(...count) : undefined;
}

const date = String.raw`(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?`;
const difference = new RegExp(String.raw`^\s*${date}\s+[-−–]\s+${date}\s*=?\s*$`);
const shift = new RegExp(String.raw`^\s*${date}\s*([-−–+＋])\s*(\d{1,6})\s*(days?|weeks?|天|日|周)\s*=?\s*$`, "i");
const iso = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const isoDifference = new RegExp(String.raw`^\s*${iso}\s*[-−–]\s*${iso}\s*=?\s*$`);
const isoShift = new RegExp(String.raw`^\s*${iso}\s*([-−–+＋])\s*(\d{1,6})\s*=?\s*$`);
const anyIso = /(?<![\d.])[12]\d{3}-(0\d|1[0-2])-[0-3]\d(?![\d.])/;
const dayMs = 86_400_000;

/**
 * Calculates `2026-11-21 - 2026-01-01` in days, or the date of `2026-11-21 + 30 days`. Returns undefined for anything else.
 * Throws as `day` does, and for a date anywhere else.
 */
export function calculateDate(text: string, locale: Locale): string | undefined {
  const [, ...six] = difference.exec(text) ?? isoDifference.exec(text) ?? [];
  if (six.length > 0) {
    const [a, b] = [readDay(six.slice(0, 3)), readDay(six.slice(3))];
    const days = (a - b) / dayMs;
    return say(locale, { zh: `= ${days} 天`, en: `= ${days} ${Math.abs(days) === 1 ? "day" : "days"}` });
  }
  const [, year, month, dayOfMonth, sign, count, unit = ""] = shift.exec(text) ?? isoShift.exec(text) ?? [];
  if (year === undefined) return refuseDates(text);
  const from = readDay([year, month, dayOfMonth]);
  const days = Number(count) * (/week|周/i.test(unit) ? 7 : 1) * (sign === "+" || sign === "＋" ? 1 : -1);
  const to = new Date(from + days * dayMs);
  if (Number.isNaN(to.getTime())) return undefined;
  const weekday = new Intl.DateTimeFormat(locale === "zh" ? "zh-CN" : "en", {
    weekday: "long",
    timeZone: "UTC",
  }).format(to);
  return `= ${to.toISOString().slice(0, 10)} (${weekday})`;
}

/** Throws for a date inside an expression, because it is not meant as two subtractions. */
function refuseDates(text: string): undefined {
  const [found] = anyIso.exec(text) ?? [];
  if (found === undefined) return undefined;
  const numbers = found.replaceAll("-", " - ");
  throw expressionError(
    `${found} 像日期：日期请写 ${found} + 7 天 或 ${found} - 2026-01-01，数字请写 ${numbers}`,
    `${found} looks like a date: write ${found} + 7 days or ${found} - 2026-01-01 for dates, ${numbers} for numbers`,
  );
}

/** Returns milliseconds since 1970. Throws for a day that is not in the calendar. */
function readDay(parts: readonly (string | undefined)[]): number {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = parts.map(Number);
  const ms = Date.UTC(year, month - 1, dayOfMonth);
  if (new Date(ms).getUTCMonth() === month - 1) return ms;
  const shown = parts.join("-");
  throw new DuetError({ code: "tool", text: { zh: `${shown} 不是有效的日期`, en: `${shown} is not a valid date.` } });
}
