import { isRecord, type JsonObject, type JsonSchema, type JsonValue } from "../../kit/json.ts";
import { resolvePointer } from "../../kit/json-pointer.ts";

/**
 * Fills in each required field that is missing and has a default, also in nested objects and lists: many servers do so
 * themselves, and their schemas still call the field required. What is there stays as it is. A hostile schema, whose defaults
 * have no end, fills in nothing.
 */
export function fillDefaults(args: JsonObject, schema: JsonSchema): JsonObject {
  const filling: FillState = { root: schema, left: mostAdded };
  const filled = fillObject(args, schema, filling, 0);
  return filling.left < 0 ? args : filled;
}

/** Limits the fields that are added to one call. */
const mostAdded = 500;
/** Limits the levels of the arguments that are looked at. */
const mostLevels = 100;
/** Limits a chain of references, which may lead back to where it began. */
const mostReferences = 16;

interface FillState {
  root: JsonSchema;
  /** Counts the fields that may still be added, and is negative once there were too many. */
  left: number;
}

function fillValue(value: JsonValue, schema: unknown, filling: FillState, level: number): JsonValue {
  if (level > mostLevels) filling.left = -1;
  if (filling.left < 0) return value;
  if (Array.isArray(value)) {
    const items = followReferences(schema, filling.root)?.items;
    const filled = value.map((item) => fillValue(item, items, filling, level + 1));
    return filled.every((item, index) => item === value[index]) ? value : filled;
  }
  return isObject(value) ? fillObject(value, schema, filling, level + 1) : value;
}

function fillObject(args: JsonObject, schema: unknown, filling: FillState, level: number): JsonObject {
  let filled = args;
  for (const { properties, required } of listParts(schema, filling.root)) {
    if (!isRecord(properties)) continue;
    const present = filled;
    const added = (Array.isArray(required) ? [...new Set<unknown>(required)] : []).flatMap(
      (name): [string, JsonValue][] => {
        if (typeof name !== "string" || Object.hasOwn(present, name) || !Object.hasOwn(properties, name)) return [];
        const usual = followReferences(properties[name], filling.root)?.default;
        return isJson(usual) ? [[name, structuredClone(usual)]] : [];
      },
    );
    filling.left -= added.length;
    const entries = [...Object.entries(present), ...added].map(([name, value]): [string, JsonValue] => [
      name,
      Object.hasOwn(properties, name) ? fillValue(value, properties[name], filling, level) : value,
    ]);
    const isChanged = added.length > 0 || entries.some(([name, value]) => value !== present[name]);
    if (isChanged) filled = Object.fromEntries(entries);
  }
  return filled;
}

/** Lists the schema and the parts of its `allOf`, which all hold; of `anyOf` and `oneOf` nobody knows which one is meant. */
function listParts(schema: unknown, root: JsonSchema): JsonSchema[] {
  const parts: JsonSchema[] = [];
  const seen = new Set<unknown>();
  const waiting = [schema];
  while (waiting.length > 0) {
    const node = waiting.shift();
    const found = seen.has(node) ? undefined : followReferences(node, root);
    seen.add(node);
    if (found === undefined) continue;
    parts.push(found);
    if (Array.isArray(found.allOf)) waiting.push(...found.allOf);
  }
  return parts;
}

/** Returns the schema to which the references lead. It holds what stands beside a reference as well, and that comes first. */
function followReferences(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  let found = schema;
  for (let step = 0; step < mostReferences && isRecord(found) && found.$ref !== undefined; step++) {
    const { $ref, ...beside } = found;
    const target = resolvePointer(root, $ref);
    found = isRecord(target) ? { ...target, ...beside } : beside;
  }
  return isRecord(found) ? found : undefined;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

/** A schema from the wire is JSON; one of a program may hold anything. */
function isJson(value: unknown): value is JsonValue {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).every(isJson);
}
