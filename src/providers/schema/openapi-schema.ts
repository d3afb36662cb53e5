import { isRecord, type JsonSchema } from "../../kit/json.ts";
import { collapseAllOf, removeKeywords, toStrings } from "./schema-parts.ts";

const deepest = 24;
const types = ["object", "array", "string", "number", "integer", "boolean"];
/** Limits one note in a description, in characters. */
const longestNote = 160;

/** Lists the keywords that stay as they are, by the type beside which they stand. */
const kept: Readonly<Record<string, readonly string[]>> = {
  array: ["minItems", "maxItems"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
};
const formats = ["date-time", "int32", "int64", "float", "double"];

/** Keywords that are read here, or say nothing about values; any other is stated in the description. */
const read = ["type", "nullable", "description", "properties", "required", "items", "prefixItems", "enum", "const"];
const silent = [
  "title",
  "examples",
  "example",
  "deprecated",
  "readOnly",
  "writeOnly",
  "additionalItems",
  "allOf",
  "id",
];

/**
 * Converts a schema without references to the part of OpenAPI 3.0 that Gemini supports: one type each, `nullable`, enums of
 * strings, and only a few limits. Constraints that are lost are stated in the description.
 */
export function toOpenApi(schema: JsonSchema, depth = 0): JsonSchema {
  const node = collapseAllOf(schema);
  const names = listTypes(node);
  const forms = listForms(node);
  const nullable = names.includes("null") || forms.some(isNull) || node.nullable === true || hasNull(node.enum);
  const plain = names.filter((name) => types.includes(name));
  const real = forms.filter((form) => !isNull(form));
  const extra = nullable ? { nullable: true } : {};
  if (depth > deepest) return { type: plain[0] ?? "string", ...extra };
  if (real.length > 0 && !isRecord(node.properties) && !node.items) {
    const own = plain.length === 1 ? { type: plain[0] } : {};
    const typed = real.map((form) => ({ ...own, ...form }));
    return { ...toUnion(typed, node, depth), ...extra };
  }
  const [type = "string", ...others] = plain;
  if (others.length > 0) {
    const each = plain.map((name) => ({ ...removeKeywords(node, ["description", "nullable"]), type: name }));
    return { ...toUnion(each, { description: node.description }, depth), ...extra };
  }
  const { body, used } = toBody(node, type, depth);
  return { type, ...addDescription(node, used), ...body, ...extra };
}

function toUnion(forms: readonly JsonSchema[], node: JsonSchema, depth: number): JsonSchema {
  const converted = forms.map((form) => toOpenApi(form, depth + 1));
  const different = [...new Map(converted.map((form) => [JSON.stringify(form), form])).values()];
  const [only, ...others] = different;
  const described = addDescription(node, ["anyOf", "oneOf"]);
  return only && others.length === 0 ? { ...only, ...described } : { ...described, anyOf: different };
}

/** Returns the part of the schema beside `type`, and the keywords that it expresses. */
function toBody(node: JsonSchema, type: string, depth: number): { body: JsonSchema; used: readonly string[] } {
  const limits = (kept[type] ?? []).filter((key) => typeof node[key] === "number");
  const body: JsonSchema = Object.fromEntries(limits.map((key) => [key, node[key]]));
  const used = [...limits];
  if (formats.includes(String(node.format))) {
    body.format = node.format;
    used.push("format");
  }
  const words = type === "string" ? listWords(node) : [];
  if (words.length > 0) body.enum = words;
  if (words.length > 0 || listValues(node) === undefined) used.push("enum", "const");
  if (type === "array") body.items = toElement(node, depth);
  if (type === "object") Object.assign(body, toFields(node, depth));
  return { body, used };
}

function toFields(node: JsonSchema, depth: number): JsonSchema {
  const parts = Object.entries(isRecord(node.properties) ? node.properties : {}).filter(([, part]) => part !== false);
  const properties = Object.fromEntries(
    parts.map(([name, part]) => [name, toOpenApi(isRecord(part) ? part : {}, depth + 1)]),
  );
  const required = [...new Set(toStrings(node.required))].filter((name) => Object.hasOwn(properties, name));
  return required.length > 0 ? { properties, required } : { properties };
}

function toElement(node: JsonSchema, depth: number): JsonSchema {
  const tuple = [node.prefixItems, node.items].find((part) => Array.isArray(part));
  if (Array.isArray(tuple)) {
    const forms = tuple.filter(isRecord);
    return forms.length > 0 ? toUnion(forms, {}, depth) : { type: "string" };
  }
  return toOpenApi(isRecord(node.items) ? node.items : {}, depth + 1);
}

function listTypes(node: JsonSchema): string[] {
  const said = typeof node.type === "string" ? [node.type] : toStrings(node.type);
  if (said.length > 0) return said;
  if (isRecord(node.properties)) return ["object"];
  if (node.items !== undefined || node.prefixItems !== undefined) return ["array"];
  return [...new Set((listValues(node) ?? []).map(getType))];
}

function getType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function listForms(node: JsonSchema): JsonSchema[] {
  const forms = Array.isArray(node.anyOf) ? node.anyOf : node.oneOf;
  return Array.isArray(forms) ? forms.filter(isRecord) : [];
}

function isNull(form: JsonSchema): boolean {
  return form.type === "null" || form.const === null;
}

function hasNull(values: unknown): boolean {
  return Array.isArray(values) && values.includes(null);
}

function listValues(node: JsonSchema): unknown[] | undefined {
  if (Array.isArray(node.enum)) return node.enum;
  return node.const === undefined ? undefined : [node.const];
}

/** An enum may hold only strings, and none of them may be empty. */
function listWords(node: JsonSchema): string[] {
  const values = (listValues(node) ?? []).filter((value) => value !== null && value !== "");
  const words = toStrings(values);
  return words.length === values.length ? [...new Set(words)] : [];
}

function addDescription(node: JsonSchema, used: readonly string[]): JsonSchema {
  const said = typeof node.description === "string" ? node.description : "";
  const values = used.includes("enum") ? undefined : listValues(node);
  const lost = Object.keys(node).filter(
    (key) => ![...read, ...silent, ...used].includes(key) && !key.startsWith("$") && isInformative(key, node[key]),
  );
  const notes = lost.map((key) => toNote(key, node[key]));
  if (values && !used.includes("anyOf")) notes.unshift(toNote("one of", values));
  const description = [said, notes.length > 0 ? `(${notes.join("; ")})` : ""].filter(Boolean).join(" ");
  return description === "" ? {} : { description };
}

function isInformative(key: string, value: unknown): boolean {
  return value !== undefined && !(key === "additionalProperties" && typeof value === "boolean");
}

function toNote(key: string, value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return `${key}: ${text.length > longestNote ? `${text.slice(0, longestNote)}…` : text}`;
}
