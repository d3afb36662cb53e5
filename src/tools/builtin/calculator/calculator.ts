import { toInvalidArgumentsResult } from "../../../core/tools/argument-feedback.ts";
import { createFailure, type Tool, type ToolResult } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { createSuccess, defineTool } from "../../define-tool.ts";
import { calculateDate } from "./date-arithmetic.ts";
import { readFraction, type Value } from "./fraction.ts";
import { showValue } from "./show-value.ts";
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

/** Arithmetic and statistics without `eval`: the expression is parsed by mathjs and evaluated from a table of our own. */
export function createCalculator(locale: Locale): Tool {
  return defineTool({
    name: "calculator",
    description: say(locale, {
      zh: "计算算式，或对一组数字做统计（平均值、最大值、最小值等）",
      en: "Calculates an expression, or statistics over a list of numbers (mean, max, min ...).",
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
    annotations: { readOnly: true, idempotent: true },
    run: (args, context) => calculate(args, context.locale),
  });
}

/** Loads what a call with these arguments needs, so that its time limit does not cover the loading. */
export async function prepareCalculator({ expression }: JsonObject): Promise<void> {
  if (expression !== undefined) await loadExpression();
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
  if (args.expression === undefined && numbers === undefined) {
    return toInvalidArgumentsResult(locale, [
      { path: "", text: { zh: "需要 expression 或 numbers", en: "expression or numbers is needed" } },
    ]);
  }
  try {
    const lines: string[] = [];
    if (typeof args.expression === "string") lines.push(await solve(args.expression, numbers, locale));
    if (numbers !== undefined && (wanted !== undefined || args.expression === undefined)) {
      const operations = wanted ?? (["count", "sum", "mean", "min", "max"] as const);
      lines.push(...operations.map((operation) => describe(operation, numbers, locale)));
    }
    return createSuccess(lines.join("\n"));
  } catch (thrown) {
    if (thrown instanceof DuetError)
      return createFailure(thrown.code === "tool" ? "tool" : "internal", say(locale, thrown.text));
    throw thrown;
  }
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "string" && Object.hasOwn(labels, value);
}

async function solve(expression: string, numbers: readonly Value[] | undefined, locale: Locale): Promise<string> {
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
