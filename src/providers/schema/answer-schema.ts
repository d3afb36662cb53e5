import { isRecord, type JsonSchema } from "../../kit/json.ts";
import { toOpenApi } from "./openapi-schema.ts";
import { collapseAllOf, hasPart, mapParts, removeKeywords, toStrings } from "./schema-parts.ts";
import { inlineReferences } from "./tool-schema.ts";

/**
 * Names the part of JSON Schema in which a vendor describes an answer: OpenAI's strict mode, where every field is required and an
 * optional one may be null; the same without references (`strict-inlined`); Anthropic's; or a part of OpenAPI 3.0.
 */
export type AnswerDialect = "strict" | "strict-inlined" | "anthropic" | "openapi";

interface DialectRules {
  /** A field that may be left out becomes a field that may be null. */
  requiresAll: boolean;
  keepsReferences: boolean;
  mayRecur: boolean;
  /** Lists the limits on values that the vendor takes. */
  limits: readonly string[];
  formats: readonly string[];
  /** Limits the fields that may be left out, and the unions, of the whole schema. */
  mostOptional: number;
  mostUnions: number;
}

const formats = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const unlimited = Number.POSITIVE_INFINITY;

// platform.openai.com/docs/guides/structured-outputs; platform.claude.com/docs/en/build-with-claude/structured-outputs.
const strict: DialectRules = {
  requiresAll: true,
  keepsReferences: true,
  mayRecur: true,
  limits: [
    "pattern",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
  ],
  formats,
  mostOptional: unlimited,
  mostUnions: unlimited,
};

const dialects: Readonly<Record<Exclude<AnswerDialect, "openapi">, DialectRules>> = {
  strict,
  "strict-inlined": { ...strict, keepsReferences: false, mayRecur: false },
  anthropic: {
    requiresAll: false,
    keepsReferences: true,
    mayRecur: false,
    limits: [],
    formats: [...formats, "uri"],
    mostOptional: 24,
    mostUnions: 16,
  },
};

/** Limits the levels of nesting, the fields, the values of an enum, and the characters of the whole. They are OpenAI's, and hold for all. */
const most = { levels: 10, fields: 5000, values: 1000, characters: 100_000 };

/**
 * Converts the schema of an answer to the dialect of a vendor, without loss of an answer: whatever the vendor makes of it, the
 * original allows, once null stands for what was left out, or the check against the original says otherwise. Returns undefined where
 * the dialect cannot say what the schema allows: any value, free names of fields, tuples, recursion. Does not change the original.
 */
export function toAnswerSchema(schema: JsonSchema, dialect: AnswerDialect): JsonSchema | undefined {
  const isTooLong = JSON.stringify(schema).length > most.characters;
  if (isTooLong) return undefined;
  const recurs = isRecursive(schema);
  if (dialect === "openapi") {
    const whole = recurs ? undefined : inlineReferences(schema);
    return whole && isObjectRoot(whole) && isClosed(whole, 0) ? toOpenApi(whole) : undefined;
  }
  const rules = dialects[dialect];
  if (recurs && !rules.mayRecur) return undefined;
  const keeps = rules.keepsReferences && !hasPart(schema, hasUnusualReference);
  if (recurs && !keeps) return undefined;
  const whole = keeps ? schema : inlineReferences(schema);
  if (!isObjectRoot(whole) || !isClosed(whole, 0)) return undefined;
  const counts = { optional: 0, unions: 0 };
  const converted = convert(whole, rules, counts);
  return counts.optional <= rules.mostOptional && counts.unions <= rules.mostUnions ? converted : undefined;
}

function isObjectRoot(schema: JsonSchema): boolean {
  return ["anyOf", "oneOf", "$ref"].every((key) => !(key in schema)) && isObject(collapseAllOf(schema));
}

function isObject({ type, properties }: JsonSchema): boolean {
  return type === "object" || (type === undefined && isRecord(properties));
}

/** Only these are taken by all who take references; OpenAI also takes `#`. */
function hasUnusualReference({ $ref, $dynamicRef, $recursiveRef }: JsonSchema): boolean {
  if ($dynamicRef !== undefined || $recursiveRef !== undefined) return true;
  return $ref !== undefined && !(typeof $ref === "string" && /^#(\/\$defs\/[^/%~]+)?$/.test($ref));
}

/** Is true when a definition leads back to itself, or a reference names the root. */
function isRecursive(schema: JsonSchema): boolean {
  const definitions: Record<string, unknown> = {
    ...(isRecord(schema.definitions) && schema.definitions),
    ...(isRecord(schema.$defs) && schema.$defs),
  };
  const targets = new Map(Object.entries(definitions).map(([name, part]) => [name, listReferences(part)]));
  const root = listReferences(removeKeywords(schema, ["$defs", "definitions"]));
  if ([root, ...targets.values()].some((names) => names.includes(""))) return true;
  const canReach = (from: string, to: string, seen: Set<string>): boolean =>
    (targets.get(from) ?? []).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return canReach(next, to, seen);
    });
  return [...targets.keys()].some((name) => canReach(name, name, new Set()));
}

/** Lists the last steps of the references in a part of a schema: the name of a definition, or nothing for the root. */
function listReferences(part: unknown): string[] {
  const found: string[] = [];
  if (!isRecord(part)) return found;
  hasPart(part, ({ $ref, $dynamicRef, $recursiveRef }) => {
    for (const reference of [$ref, $dynamicRef, $recursiveRef])
      if (typeof reference === "string") found.push(reference.replace(/^#/, "").split("/").at(-1) ?? "");
    return false;
  });
  return found;
}

/** Is true when each value in the schema has a type, and each object and list says what is in it. */
function isClosed(schema: JsonSchema, level: number): boolean {
  if (typeof schema.$ref === "string") return isEachClosed(schema.$defs, level);
  const node = collapseAllOf(schema);
  if (level > most.levels || !isEachClosed(node.$defs, level)) return false;
  const forms = listForms(node);
  if (forms.length > 0) return forms.every((form) => isClosed(form, level));
  if (Array.isArray(node.enum)) return node.enum.length <= most.values && node.enum.every(isPlain);
  if (node.const !== undefined) return isPlain(node.const);
  const types = listTypes(node);
  if (types.length === 0) return false;
  if (types.includes("object") && !isClosedObject(node, level)) return false;
  if (!types.includes("array")) return true;
  return !("prefixItems" in node) && isRecord(node.items) && isClosed(node.items, level + 1);
}

function isClosedObject(node: JsonSchema, level: number): boolean {
  const { properties, additionalProperties, patternProperties } = node;
  const parts = isRecord(properties) ? Object.values(properties) : [];
  const isOpen = additionalProperties === true || isRecord(additionalProperties) || isRecord(patternProperties);
  if (isOpen || parts.length === 0 || parts.length > most.fields) return false;
  return parts.every((part) => isRecord(part) && isClosed(part, level + 1));
}

function isEachClosed(definitions: unknown, level: number): boolean {
  if (!isRecord(definitions)) return true;
  return Object.values(definitions).every((part) => isRecord(part) && isClosed(part, level));
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function listTypes({ type, properties, items }: JsonSchema): string[] {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return toStrings(type);
  if (isRecord(properties)) return ["object"];
  return items === undefined ? [] : ["array"];
}

function listForms({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  const forms = Array.isArray(anyOf) ? anyOf : oneOf;
  return Array.isArray(forms) ? forms.filter(isRecord) : [];
}

interface Counts {
  optional: number;
  unions: number;
}

function convert(schema: JsonSchema, rules: DialectRules, counts: Counts): JsonSchema {
  const definitions = isRecord(schema.$defs)
    ? { $defs: mapParts({ $defs: schema.$defs }, (part) => convert(part, rules, counts)).$defs }
    : {};
  // Beside a reference nothing else may stand.
  if (typeof schema.$ref === "string") return { $ref: schema.$ref, ...definitions };
  const node = collapseAllOf(schema);
  const forms = listForms(node);
  if (forms.length > 0) {
    counts.unions++;
    const anyOf = forms.map((form) => convert(form, rules, counts));
    return { ...describe(node, ["anyOf", "oneOf"]), anyOf, ...definitions };
  }
  if (Array.isArray(node.enum) || node.const !== undefined) {
    const values: unknown[] = Array.isArray(node.enum) ? node.enum : [node.const];
    return { ...describe(node, ["enum", "const"]), type: toType(values.map(getType)), enum: values };
  }
  const types = listTypes(node);
  if (types.length > 1) counts.unions++;
  const used = Object.keys(node).filter((key) => rules.limits.includes(key) && !hasLookAround(node[key]));
  if (rules.formats.includes(String(node.format))) used.push("format");
  const kept = Object.fromEntries(used.map((key) => [key, node[key]]));
  return {
    ...describe(node, used),
    type: toType(types),
    ...kept,
    ...(types.includes("object") ? toFields(node, rules, counts) : {}),
    ...(isRecord(node.items) && { items: convert(node.items, rules, counts) }),
    ...definitions,
  };
}

function toFields(node: JsonSchema, rules: DialectRules, counts: Counts): JsonSchema {
  const parts = Object.entries(isRecord(node.properties) ? node.properties : {});
  const required = toStrings(node.required);
  const properties = parts.map(([name, part]): [string, JsonSchema] => {
    const converted = convert(isRecord(part) ? part : {}, rules, counts);
    if (required.includes(name)) return [name, converted];
    counts.optional++;
    return [name, rules.requiresAll ? addNull(converted) : converted];
  });
  const names = parts.map(([name]) => name);
  return {
    properties: Object.fromEntries(properties),
    required: rules.requiresAll ? names : names.filter((name) => required.includes(name)),
    additionalProperties: false,
  };
}

/** Lets a field be null that may be left out. */
function addNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) {
    const hasNull = schema.anyOf.some((form) => isRecord(form) && [form.type].flat().includes("null"));
    return hasNull ? schema : { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  }
  if (typeof schema.$ref === "string") return { anyOf: [schema, { type: "null" }] };
  const types = [schema.type].flat();
  if (types.includes("null")) return schema;
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [...types, "null"], ...values };
}

function toType(types: readonly string[]): string | string[] {
  const different = [...new Set(types)];
  const [only = "string", ...others] = different;
  return others.length === 0 ? only : different;
}

function getType(value: unknown): string {
  if (value === null) return "null";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function hasLookAround(value: unknown): boolean {
  return typeof value === "string" && /\(\?[=!<]/.test(value);
}

/** Lists the keywords that are converted. */
const structure = [
  "type",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "description",
  "$defs",
  "definitions",
];
/** Lists those that are dropped without a note, because they tell a model nothing. */
const silent = ["title", "examples", "example", "default", "deprecated", "readOnly", "writeOnly", "allOf"];
/** Limits one note in a description, in characters. */
const longestNote = 160;

/** Returns the description, with what the dialect cannot say beside it: the model is to keep to it all the same. */
function describe(node: JsonSchema, used: readonly string[]): JsonSchema {
  const lost = Object.keys(node).filter(
    (key) => ![...structure, ...silent, ...used].includes(key) && !key.startsWith("$"),
  );
  const notes = lost.map((key) => `${key}: ${(JSON.stringify(node[key]) ?? "").slice(0, longestNote)}`);
  const said = typeof node.description === "string" ? node.description : "";
  const description = [said, notes.length > 0 ? `(${notes.join("; ")})` : ""].filter(Boolean).join(" ");
  return description === "" ? {} : { description };
}
