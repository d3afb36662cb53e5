import { isRecord, type JsonSchema } from "../../kit/json.ts";

// Only these hold schemas: what stands in `enum`, `const` or `default` is data, whatever it looks like.
const single = [
  "items",
  "additionalItems",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "contains",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
];
const listed = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const named = ["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

/** Returns a copy of the schema in which each direct subschema is replaced. */
export function mapParts(schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema {
  const copy: JsonSchema = { ...schema };
  const change = (part: unknown): unknown => (isRecord(part) ? replace(part) : part);
  for (const key of single) if (isRecord(copy[key])) copy[key] = change(copy[key]);
  for (const key of listed) if (Array.isArray(copy[key])) copy[key] = copy[key].map(change);
  for (const key of named) {
    const parts = copy[key];
    if (!isRecord(parts)) continue;
    copy[key] = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
  }
  return copy;
}

/** Returns true when the schema or one of its subschemas matches `is`. Looks `depth` levels down. */
export function hasPart(schema: JsonSchema, is: (part: JsonSchema) => boolean, depth = 64): boolean {
  if (is(schema)) return true;
  if (depth === 0) return false;
  let found = false;
  mapParts(schema, (part) => {
    found ||= hasPart(part, is, depth - 1);
    return part;
  });
  return found;
}

export function removeKeywords(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.includes(key)));
}

/**
 * Combines two schemas into one that accepts at least every value that matches both. Where they cannot be combined, the second
 * takes precedence.
 */
export function combineSchemas(first: JsonSchema, second: JsonSchema): JsonSchema {
  const conditional = ["if", "then", "else"];
  const base = conditional.some((key) => key in second) ? removeKeywords(first, conditional) : first;
  const joined: JsonSchema = { ...base, ...second };
  for (const key of ["properties", "patternProperties"]) joined[key] = joinNamed(first[key], second[key]);
  if (first.required || second.required)
    joined.required = [...toStrings(first.required), ...toStrings(second.required)];
  if ("additionalProperties" in first && "additionalProperties" in second) {
    const same = JSON.stringify(first.additionalProperties) === JSON.stringify(second.additionalProperties);
    if (!same) joined.additionalProperties = undefined;
  }
  return removeKeywords(joined, [
    "unevaluatedProperties",
    "unevaluatedItems",
    ...Object.keys(joined).filter((key) => joined[key] === undefined),
  ]);
}

function joinNamed(first: unknown, second: unknown): unknown {
  if (!isRecord(first) || !isRecord(second)) return second ?? first;
  const joined: Record<string, unknown> = { ...first };
  for (const [name, part] of Object.entries(second)) {
    const before = Object.hasOwn(joined, name) ? joined[name] : undefined;
    joined[name] = isRecord(before) && isRecord(part) ? combineSchemas(before, part) : part;
  }
  return joined;
}

export function collapseAllOf(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.allOf)) return schema;
  const parts = schema.allOf.filter(isRecord).map(collapseAllOf);
  return parts.reduce((whole, part) => combineSchemas(part, whole), removeKeywords(schema, ["allOf"]));
}

export function toStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
