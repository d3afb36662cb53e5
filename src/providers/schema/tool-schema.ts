import type { ToolDialect } from "../../core/model-settings.ts";
import { isRecord, type JsonSchema } from "../../kit/json.ts";
import { toOpenApi } from "./openapi-schema.ts";
import { collapseAllOf, combineSchemas, hasPart, mapParts, removeKeywords, toStrings } from "./schema-parts.ts";

/**
 * The schema of a tool's arguments in the form that a vendor takes. It may allow more than the original, or say less of
 * it than the original does: arguments are checked against the original before a tool runs. Never throws; the original
 * stays as it is.
 */
export function toToolSchema(schema: JsonSchema, dialect: ToolDialect = "standard"): JsonSchema {
  if (sizeOf(schema) > longest) return { type: "object", properties: {} };
  const keepsReferences = dialect === "standard" && !isUnion(schema) && !hasPart(schema, hasForeignReference);
  const root = objectRoot(keepsReferences ? schema : inlineReferences(schema));
  const adapted = dialect === "openapi" ? toOpenApi(root) : tidy(root, dialect);
  return { ...adapted, type: "object", properties: isRecord(adapted.properties) ? adapted.properties : {} };
}

/** Characters; no model reads more than that about one tool. */
const longest = 100_000;

function sizeOf(schema: JsonSchema): number {
  try {
    return JSON.stringify(schema).length;
  } catch {
    // It contains itself, or is nested too deeply.
    return Number.POSITIVE_INFINITY;
  }
}

const unions = ["anyOf", "oneOf", "allOf"];
const rootOnly = ["not", "enum", "const", "$ref", ...unions];

function isUnion(schema: JsonSchema): boolean {
  return [...unions, "$ref"].some((key) => key in schema);
}

function hasForeignReference({ $ref, $dynamicRef, $recursiveRef }: JsonSchema): boolean {
  if ($dynamicRef !== undefined || $recursiveRef !== undefined) return true;
  return typeof $ref === "string" && !/^#\/(\$defs|definitions)\/[^/]+$/.test($ref);
}

/**
 * No vendor takes a union as the whole of the arguments: the fields of all its forms stand side by side, each with what
 * the forms that name it say of it.
 */
function objectRoot(schema: JsonSchema): JsonSchema {
  const whole = collapseAllOf(schema);
  const forms = [whole.anyOf, whole.oneOf].flatMap((union) => (Array.isArray(union) ? [union.filter(isRecord)] : []));
  const root = forms.reduce((joined, branches) => withForms(joined, branches.map(collapseAllOf)), whole);
  return { ...removeKeywords(root, rootOnly), type: "object" };
}

function withForms(root: JsonSchema, forms: readonly JsonSchema[]): JsonSchema {
  const fields: Record<string, unknown> = {};
  for (const name of new Set(
    forms.flatMap((form) => (isRecord(form.properties) ? Object.keys(form.properties) : [])),
  )) {
    const kinds = forms.flatMap((form) =>
      isRecord(form.properties) && Object.hasOwn(form.properties, name) ? [form.properties[name]] : [],
    );
    const different = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
    fields[name] = different.length === 1 ? different[0] : { anyOf: different };
  }
  const always = toStrings(forms[0]?.required).filter((name) =>
    forms.every((form) => toStrings(form.required).includes(name)),
  );
  const joined = combineSchemas(removeKeywords(root, ["additionalProperties"]), {
    properties: fields,
    required: always,
  });
  const choices = forms.map((form) => toStrings(form.required).join(", ")).filter((names) => names !== "");
  const told = choices.length > 1 ? `Give one of: ${choices.map((names) => `(${names})`).join(" or ")}.` : "";
  const description = [root.description, told].filter((text) => typeof text === "string" && text !== "").join(" ");
  return description === "" ? joined : { ...joined, description };
}

const typeNames = ["object", "array", "string", "number", "integer", "boolean", "null"];
const weight = ["$schema", "$id", "id", "$comment", "$anchor", "$vocabulary", "title", "examples", "example"];
const deepest = 64;

/** Leaves out what only weighs, and writes what older drafts of JSON Schema said in the words of the present one. */
function tidy(schema: JsonSchema, dialect: ToolDialect, depth = 0): JsonSchema {
  if (depth > deepest) return {};
  const node = mapParts(
    removeKeywords(
      schema,
      weight.filter((key) => key !== "id" || typeof schema.id === "string"),
    ),
    (part) => tidy(part, dialect, depth + 1),
  );
  const types = [node.type].flat().filter((name): name is string => typeNames.includes(String(name)));
  const changes: JsonSchema = {
    type: types.length > 1 ? types : types[0],
    required: Array.isArray(node.required) ? [...new Set(toStrings(node.required))] : undefined,
    enum: Array.isArray(node.enum) && node.enum.length > 0 ? node.enum : undefined,
    properties: fields(node.properties) ?? (types.includes("object") ? {} : undefined),
    // A plain yes or no tells a model little, and costs 3 % of what fifty tools weigh.
    additionalProperties: isRecord(node.additionalProperties) ? node.additionalProperties : undefined,
    ...bound(node, "minimum", "exclusiveMinimum"),
    ...bound(node, "maximum", "exclusiveMaximum"),
    ...elements(node, types),
    ...(dialect === "inlined" ? plainUnion(node, types) : {}),
  };
  return defined({ ...node, ...changes });
}

/** `true` as a field's schema is one that says nothing; a field that may not be there is not named. */
function fields(properties: unknown): JsonSchema | undefined {
  if (!isRecord(properties)) return undefined;
  const shown = Object.entries(properties).filter(([, part]) => part === true || isRecord(part));
  return Object.fromEntries(shown.map(([name, part]) => [name, part === true ? {} : part]));
}

/** `exclusiveMinimum: true` beside a minimum is of draft 4. */
function bound(node: JsonSchema, limit: "minimum" | "maximum", exclusive: string): JsonSchema {
  if (typeof node[exclusive] !== "boolean") return {};
  return node[exclusive] ? { [limit]: undefined, [exclusive]: node[limit] } : { [exclusive]: undefined };
}

/** A list of schemas in `items` is of draft 7; an array that does not say what is in it is refused. */
function elements(node: JsonSchema, types: readonly string[]): JsonSchema {
  if (Array.isArray(node.items)) {
    const rest = isRecord(node.additionalItems) ? node.additionalItems : {};
    return { prefixItems: node.items.length > 0 ? node.items : undefined, items: rest, additionalItems: undefined };
  }
  const says = isRecord(node.items) || Array.isArray(node.prefixItems);
  return types.includes("array") && !says ? { items: {} } : {};
}

/** Where unions are not well known: `anyOf` in place of `oneOf`, no type beside it, a list in place of one constant. */
function plainUnion(node: JsonSchema, types: readonly string[]): JsonSchema {
  const forms = Array.isArray(node.anyOf) ? node.anyOf : node.oneOf;
  const list = Array.isArray(node.enum) || node.const === undefined ? {} : { enum: [node.const] };
  const plain: JsonSchema = { const: undefined, oneOf: undefined, ...list };
  if (!Array.isArray(forms) || forms.length === 0) return plain;
  const [only, ...others] = types;
  const own = only !== undefined && others.length === 0 ? { type: only } : {};
  return { ...plain, type: undefined, anyOf: forms.map((form) => (isRecord(form) ? { ...own, ...form } : form)) };
}

function defined(schema: JsonSchema): JsonSchema {
  return removeKeywords(
    schema,
    Object.keys(schema).filter((key) => schema[key] === undefined),
  );
}

/** Characters; references that multiply are cut off there. */
const maxSchemaLength = 60_000;
const maxReferenceDepth = 24;

/**
 * The schema with each reference replaced by what it points to. Nothing is fetched: a reference to elsewhere allows
 * anything. A schema that contains itself is cut where it does so for the first time.
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  let left = maxSchemaLength;

  function visit(node: JsonSchema, trail: readonly string[], depth: number): JsonSchema {
    left -= ownSize(node);
    if (left < 0 || depth > maxReferenceDepth) return cut(node);
    const reference = node.$ref;
    if (typeof reference !== "string") return mapParts(node, (part) => visit(part, trail, depth + 1));
    const siblings = removeKeywords(node, ["$ref"]);
    const target = pointed(root, reference);
    if (!target) return visit(siblings, trail, depth);
    if (trail.includes(reference)) return { ...cut(target), ...siblings };
    return visit(
      combineSchemas(removeKeywords(target, ["$defs", "definitions"]), siblings),
      [...trail, reference],
      depth,
    );
  }

  return visit(removeKeywords(root, ["$defs", "definitions"]), ["#"], 0);
}

/** What a node says itself, without the schemas inside it. */
function ownSize(node: JsonSchema): number {
  const shallow = mapParts(node, () => ({}));
  return JSON.stringify(shallow).length;
}

function cut({ type, description }: JsonSchema): JsonSchema {
  const [only, ...others] = typeof type === "string" ? [type] : toStrings(type);
  const told = typeof description === "string" ? description.slice(0, 200) : undefined;
  return {
    ...(only !== undefined && others.length === 0 ? { type: only } : {}),
    ...(told === undefined ? {} : { description: told }),
  };
}

/** `#`, `#/$defs/name`, and the same after the root's own `$id`. */
function pointed(root: JsonSchema, reference: string): JsonSchema | undefined {
  const own = typeof root.$id === "string" ? root.$id.replace(/#$/, "") : "";
  const local = own !== "" && reference.startsWith(`${own}#`) ? reference.slice(own.length) : reference;
  if (local === "#" || local === own) return root;
  if (!local.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const step of local.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside: Record<string, unknown> = Array.isArray(node) ? { ...node } : isRecord(node) ? node : {};
    node = Object.hasOwn(inside, key) ? inside[key] : undefined;
  }
  return isRecord(node) ? node : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
