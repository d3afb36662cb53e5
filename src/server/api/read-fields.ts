import type * as z from "zod";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import { parseInput } from "../mcp/read-input.ts";

/** Limits how many problems are reported at a time. */
const mostReported = 5;

/**
 * Validates a JSON body against the schema. Throws `HttpRefusalError` (400) with one line that states each problem, the value, and
 * what is allowed.
 */
export function readFields<T>(schema: z.ZodType<T>, body: unknown): T {
  if (!isRecord(body)) throw new HttpRefusalError({ status: 400, text: describeNoObject(body) });
  const read = parseInput(schema, body);
  if ("input" in read) return read.input;
  const { problems } = read;
  throw new HttpRefusalError({
    status: 400,
    text: { zh: renderProblems(problems, "zh"), en: renderProblems(problems, "en") },
  });
}

function renderProblems(problems: readonly ArgumentProblem[], locale: Locale): string {
  const reported = problems.slice(0, mostReported).map(({ path, text }) => `${path}: ${say(locale, text)}`);
  return reported.join("; ");
}

/** Describes a body that is JSON but no object, with its value. */
export function describeNoObject(body: unknown): Text {
  const shown = showValue(body);
  return {
    zh: `请求正文 ${shown} 不可用（允许：JSON 对象）`,
    en: `the body ${shown} is not allowed (allowed: a JSON object)`,
  };
}
