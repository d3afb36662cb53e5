import type * as z from "zod";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { describeAllowed, findSchema } from "./describe-schema.ts";

/** Says that a value is not allowed, and what is. `shown` is the value as it may be printed. */
export function describeNotAllowed(shown: string, allowed: Text): Text {
  return {
    zh: `不能是 ${shown}（允许：${allowed.zh}）`,
    en: `${shown} is not allowed (allowed: ${allowed.en})`,
  };
}

/** Says that a value is missing, and what is needed. */
export function describeMissing(needed: Text): Text {
  return { zh: `缺少（需要：${needed.zh}）`, en: `is missing (${needed.en})` };
}

/** Represents a value that does not fit its schema. */
export interface RefusedValue {
  /** Is the name of the value in the spelling of its source. */
  name: string;
  /** Is the value itself, and undefined when it is absent. */
  value: unknown;
  /** Returns the value in the form in which an error may show it: short, and without a secret. */
  show(): string;
}

/**
 * Describes what is wrong with a value, after its name and a colon: `11 is not allowed (allowed: an integer from 1 to 10)`. All that
 * is read by a schema is refused in this form: the configuration, `/set`, HTTP bodies and the arguments of Duet's own tools.
 * `schema` is the JSON Schema of the whole.
 */
export function describeIssue(issue: z.core.$ZodIssue, schema: unknown, { name, value, show }: RefusedValue): Text {
  const path = getIssuePath(issue);
  const allowed = getStatedValues(issue) ?? describeAllowed(findSchema(schema, path), name);
  if (issue.code === "invalid_key") return describeNotAllowed(JSON.stringify(path.at(-1)), allowed);
  return value === undefined ? describeMissing(allowed) : describeNotAllowed(show(), allowed);
}

export function getIssuePath(issue: z.core.$ZodIssue): (string | number)[] {
  return issue.path.map((step) => (typeof step === "number" ? step : String(step)));
}

/** Returns the allowed values that a `refine` of the schema states. */
function getStatedValues(issue: z.core.$ZodIssue): Text | undefined {
  const inner = issue.code === "invalid_key" ? issue.issues[0] : issue;
  const stated: unknown = inner?.code === "custom" ? inner.params?.allowed : undefined;
  if (!isRecord(stated) || typeof stated.zh !== "string" || typeof stated.en !== "string") return undefined;
  return { zh: stated.zh, en: stated.en };
}
