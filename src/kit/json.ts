export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** A JSON Schema (2020-12) whose root describes an object, as tools and providers exchange it. */
export type JsonSchema = { [key: string]: unknown };

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects and lists stand in one another more than `levels` deep. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** What an object has under a name of its own; a word from outside never finds what all objects inherit. */
export function getOwnValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A text that may not be one; empty then. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
