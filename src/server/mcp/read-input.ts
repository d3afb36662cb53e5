import * as z from "zod";
import { maskValue } from "../../config/secrets/mask.ts";
import { getValue, renderPath } from "../../config/sources/setting-path.ts";
import { describeIssue, getIssuePath } from "../../core/schemas/describe-issue.ts";
import { listKeys } from "../../core/schemas/describe-schema.ts";
import { renderArgumentProblems, showName, toUnknownFieldLine } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { isRecord, isTooLarge, type JsonObject, type JsonSchema, mostKeys, mostValues } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { normalizeArguments } from "./host-arguments.ts";

/** Returns a call's arguments as the schema defines them, or a text for a model that says what is wrong with them. */
export function readInput<T>(schema: z.ZodType<T>, args: unknown, locale: Locale): T | string {
  const given = args ?? {};
  if (isTooLarge(given)) return say(locale, tooLarge);
  const normalized = isJsonObject(given) ? normalizeArguments(given, describeGiven(schema, given)) : given;
  // Objects and lists that were written as text are counted only now.
  if (isTooLarge(normalized)) return say(locale, tooLarge);
  const read = parseInput(schema, normalized);
  return "problems" in read ? renderArgumentProblems(locale, read.problems) : read.input;
}

/**
 * Returns a value as the schema defines it, or everything that is wrong with it. Each problem shows the value and what is
 * allowed.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): { input: T } | { problems: ArgumentProblem[] } {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return { input: data };
  const jsonSchema = toInputSchema(schema);
  const problems = error.issues.flatMap((issue) => describeProblems(issue, jsonSchema, value));
  // A text in place of a list may be found both of the wrong type and too long.
  return {
    problems: [...new Map(problems.map((problem) => [`${problem.path}: ${problem.text.en}`, problem])).values()],
  };
}

const tooLarge = {
  zh: `参数过多，没有执行（允许：每个对象至多 ${mostKeys} 个键，总共至多 ${mostValues} 个值）。`,
  en: `There are too many arguments; nothing was run (allowed: at most ${mostKeys} keys in an object and ${mostValues} values in all).`,
};

/** Checks only for an object, because arguments come from the wire and are JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/**
 * Returns the JSON Schema of an object as far as the given fields need it: that of all fields of `agent_ask` would take a tenth of what
 * the first call does before it begins.
 */
function describeGiven(schema: z.ZodType, given: JsonObject): JsonSchema {
  if (!(schema instanceof z.ZodObject)) return toInputSchema(schema);
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const fields = Object.keys(given).flatMap((name): [string, z.ZodType][] => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return field === undefined ? [] : [[name, field]];
  });
  return {
    properties: Object.fromEntries(fields.map(([name, field]) => [name, toInputSchema(field)])),
    required: fields.flatMap(([name, field]) => (field.isOptional() ? [] : [name])),
  };
}

const inputSchemas = new WeakMap<z.ZodType, JsonSchema>();

function toInputSchema(schema: z.ZodType): JsonSchema {
  const known = inputSchemas.get(schema) ?? z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  inputSchemas.set(schema, known);
  return known;
}

function describeProblems(issue: z.core.$ZodIssue, jsonSchema: unknown, whole: unknown): ArgumentProblem[] {
  const path = getIssuePath(issue);
  if (issue.code === "unrecognized_keys") {
    const allowed = listKeys(jsonSchema, path);
    return issue.keys.map((key) => toUnknownFieldLine(renderPath([...path, showName(key)]), allowed));
  }
  const value = getValue(whole, path);
  const text = describeIssue(issue, jsonSchema, {
    name: String(path.findLast((step) => typeof step === "string") ?? ""),
    value,
    show: () => sanitizeLine(maskValue(value, path, [])),
  });
  return [{ path: renderPath(path.map((step) => (typeof step === "number" ? step : showName(step)))), text }];
}
