import type * as z from "zod";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import { parseInput } from "../mcp/read-input.ts";

/** Limits how many problems are reported at a time. */
const mostReported = 5;

/** Limits one of them, in bytes: all together stay under 4 kB. */
const longestProblem = 700;

/**
 * Validates a JSON body against the schema. Throws `HttpRefusalError` (400) with one line that states each problem, the value, and
 * what is allowed. `hints` says of a field what to do instead.
 */
export function readFields<T>(schema: z.ZodType<T>, body: unknown, hints?: ReadonlyMap<string, Text>): T {
  if (!isRecord(body)) throw new HttpRefusalError({ status: 400, text: describeNoObject(body) });
  const read = parseInput(schema, body);
  if ("input" in read) return read.input;
  const { problems } = read;
  throw new HttpRefusalError({
    status: 400,
    text: { zh: renderProblems(problems, "zh"), en: renderProblems(problems, "en") },
    hint: problems.map(({ path }) => hints?.get(path)).find((hint) => hint !== undefined),
    locale: body.locale === "zh" || body.locale === "en" ? body.locale : undefined,
  });
}

function renderProblems(problems: readonly ArgumentProblem[], locale: Locale): string {
  const reported = problems.slice(0, mostReported).map(({ path, text }) => shorten(`${path}: ${say(locale, text)}`));
  const more = problems.length - reported.length;
  if (more > 0) reported.push(say(locale, { zh: `…还有 ${more} 处`, en: `... and ${more} more` }));
  return reported.join("; ");
}

function shorten(line: string): string {
  const bytes = Buffer.from(line);
  if (bytes.length <= longestProblem) return line;
  // As in a stream, a character that is cut at the end is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, longestProblem), { stream: true })}…`;
}

/** Describes a body that is JSON but no object, with its value. */
export function describeNoObject(body: unknown): Text {
  const shown = showValue(body);
  return {
    zh: `请求正文 ${shown} 不可用（允许：JSON 对象）`,
    en: `the body ${shown} is not allowed (allowed: a JSON object)`,
  };
}
