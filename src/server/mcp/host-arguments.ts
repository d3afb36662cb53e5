import { isRecord, type JsonObject, type JsonSchema, type JsonValue, tryParseJson } from "../../kit/json.ts";

/**
 * Reads the arguments of a call of our own as hosts really send them. Adapters that make a form of the schema fill in every field, so
 * for an optional one `null`, an empty text or list, and a number below the least one mean that it is not given. Numbers,
 * booleans, objects and lists may be written as text, and a text alone is a list of one. What does not fit after that stays as it is and is refused by the schema.
 */
export function normalizeArguments(args: JsonObject, schema: JsonSchema): JsonObject {
  return mapArguments(args, schema, (value, field, isOptional) => {
    const read = readText(dropEmptyEntries(value, field), field);
    return isOptional && isPlaceholder(read, field) ? undefined : read;
  });
}

/** Drops `null` for optional fields that may not be null. For a tool of a server, nothing else is known to mean "not given". */
export function dropForbiddenNulls(args: JsonObject, schema: JsonSchema): JsonObject {
  return mapArguments(args, schema, (value, field, isOptional) =>
    value === null && isOptional && !isNullAllowed(field) ? undefined : value,
  );
}

/** Replaces the value of each field that the schema describes. A field whose new value is undefined is left out. */
function mapArguments(
  args: JsonObject,
  { properties, required }: JsonSchema,
  replace: (value: JsonValue, field: Record<string, unknown>, isOptional: boolean) => JsonValue | undefined,
): JsonObject {
  if (!isRecord(properties)) return args;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(args).flatMap(([name, value]): [string, JsonValue][] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const replaced = isRecord(field) ? replace(value, field, !needed.includes(name)) : value;
    return replaced === undefined ? [] : [[name, replaced]];
  });
  return Object.fromEntries(entries);
}

function dropEmptyEntries(value: JsonValue, { type }: Record<string, unknown>): JsonValue {
  if (type !== "array" || !Array.isArray(value)) return value;
  return value.filter((entry) => entry !== null && entry !== "");
}

function readText(value: JsonValue, { type }: Record<string, unknown>): JsonValue {
  if (typeof value !== "string") return value;
  const written = value.trim();
  if (type === "object" && written.startsWith("{")) return tryParseJson(written) ?? value;
  if (type === "array" && written !== "") return (written.startsWith("[") && tryParseJson(written)) || [value];
  if (type === "boolean") return booleans.get(written.toLowerCase()) ?? value;
  const isNumber = (type === "number" || type === "integer") && /^[+-]?\d+(\.\d+)?$/.test(written);
  return isNumber ? Number(written) : value;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

function isPlaceholder(value: JsonValue, field: Record<string, unknown>): boolean {
  if (value === null) return !isNullAllowed(field);
  if (typeof value === "string") return value.trim() === "";
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return field.type === "object" && Object.keys(value).length === 0;
  if (typeof value !== "number") return false;
  const { minimum, exclusiveMinimum } = field;
  return (
    (typeof minimum === "number" && value < minimum) ||
    (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
  );
}

/** Returns true as well where the schema does not say it in one place, because then a null may mean something. */
function isNullAllowed({ type, anyOf, oneOf, nullable, ...rest }: Record<string, unknown>): boolean {
  if (nullable === true || rest.const === null) return true;
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return forms.some((form) => !isRecord(form) || isNullAllowed(form));
  if (Array.isArray(rest.enum)) return rest.enum.includes(null);
  return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
}
