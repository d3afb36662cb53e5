import { isRecord } from "../../../kit/json.ts";

/** What a value is to be; `true` where it is. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => typeof value === "number";
export const isYesNo: Check = (value) => typeof value === "boolean";

export function isOneOf(words: readonly string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

export function isListOf(entry: Check): Check {
  return (value) => Array.isArray(value) && value.every(entry);
}

/** Missing, null, or what the check wants. */
export function isOptional(check: Check): Check {
  return (value) => value === undefined || value === null || check(value);
}

/** An object with these fields; what it has beyond them is of no matter. */
export function hasFields(checks: Readonly<Record<string, Check>>): Check {
  return (value) => isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}
