import type * as z from "zod";
import zhCN from "zod/v4/locales/zh-CN.js";
import { argumentsFeedback, valueProblem } from "../core/feedback.ts";
import { isRecord } from "../core/json.ts";
import type { Locale } from "../core/locale.ts";

const wordsOf = { zh: { error: zhCN().localeError }, en: {} };

/** A call's arguments as the schema has them, or what is wrong with them, in words for a model. */
export function readInput<T>(schema: z.ZodType<T>, args: unknown, locale: Locale): T | string {
  const { data, error } = schema.safeParse(args ?? {}, wordsOf[locale]);
  if (error === undefined) return data;
  const problems = error.issues.map(({ code, path, message }) => {
    // The message names the keys; all the others need not be shown.
    if (code === "unrecognized_keys") return { path: path.join("."), text: { zh: message, en: message } };
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined),
      args,
    );
    return valueProblem(path.join("."), value, message, message);
  });
  return argumentsFeedback(locale, problems);
}
