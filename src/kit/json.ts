/** Holds any value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Holds an object of JSON. */
export type JsonObject = { [key: string]: JsonValue };

/** Holds a JSON Schema (2020-12) whose root describes an object, as tools and providers exchange it. */
export type JsonSchema = { [key: string]: unknown };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmptyRecord(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Returns undefined for a text that is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Limits the keys of one object that somebody else has written: what is wrong with each of them takes long to say. */
export const mostKeys = 500;

/** Limits the values in such a text or object in all: handling more would keep everybody else waiting. */
export const mostValues = 50_000;

/** Returns true when an object has more than `mostKeys` keys, or all have more than `mostValues` values. Looks at no more than these. */
export function isTooLarge(value: unknown): boolean {
  let left = mostValues;
  const waiting = [value];
  while (waiting.length > 0) {
    const each = waiting.pop();
    if (typeof each !== "object" || each === null) continue;
    const inner: unknown[] = Object.values(each);
    left -= inner.length;
    if (left < 0 || (!Array.isArray(each) && inner.length > mostKeys)) return true;
    for (const one of inner) waiting.push(one);
  }
  return false;
}

/** Returns true when objects and lists are nested more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Returns the object's own property of this name. A name from outside therefore never finds an inherited property. */
export function getOwnValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns an empty text when the value is not a text. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
