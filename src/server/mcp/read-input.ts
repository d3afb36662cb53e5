import * as z from "zod";
import zhCN from "zod/v4/locales/zh-CN.js";
import { listKeys } from "../../config/schema/describe-schema.ts";
import {
  renderArgumentProblems,
  showName,
  toUnknownFieldLine,
  toValueProblem,
} from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";

const parseOptions = { zh: { error: zhCN().localeError }, en: {} };

/** Returns a call's arguments as the schema defines them, or a text for a model that says what is wrong with them. */
export function readInput<T>(schema: z.ZodType<T>, args: unknown, locale: Locale): T | string {
  const read = parseInput(schema, args ?? {}, locale);
  return "problems" in read ? renderArgumentProblems(locale, read.problems) : read.input;
}

/**
 * Returns a value as the schema defines it, or everything that is wrong with it. Each problem shows the value and what is
 * allowed.
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  locale: Locale,
): { input: T } | { problems: ArgumentProblem[] } {
  const { data, error } = schema.safeParse(value, parseOptions[locale]);
  if (error === undefined) return { input: data };
  const problems = error.issues.flatMap((issue) => {
    const { code, path, message } = issue;
    if (code === "unrecognized_keys") {
      const allowed = listFields(schema, path);
      return issue.keys.map((key) => toUnknownFieldLine([...path, showName(key)].join("."), allowed));
    }
    const given = path.reduce<unknown>(
      (at, step) => (isRecord(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined),
      value,
    );
    if (given === undefined && code === "invalid_type") return describeMissing(path.join("."));
    return toValueProblem(path.join("."), given, message, message);
  });
  return { problems };
}

/** Returns the fields of the object that stands there; none where the schema has alternatives. */
function listFields(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
  return listKeys(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), steps);
}

/** A missing argument has no value to show. */
function describeMissing(name: string): ArgumentProblem {
  return { path: "", text: { zh: `缺少 ${name}`, en: `${name} is missing` } };
}
