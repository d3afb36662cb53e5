import type { ToolDialect } from "../../core/model/model-settings.ts";
import { isRecord, type JsonSchema } from "../../kit/json.ts";
import { toOpenApi } from "./openapi-schema.ts";
import { collapseAllOf, combineSchemas, hasPart, mapParts, removeKeywords, toStrings } from "./schema-parts.ts";

/**
 * Converts the schema of a tool's arguments to the form that a vendor accepts. The result may allow more or describe less than
 * the original: arguments are checked against the original before a tool runs. Never throws, and does not change the original.
 */
export function toToolSchema(schema: JsonSchema, dialect: ToolDialect = "standard"): JsonSchema {
  if (measureSchema(schema) > longest) return { type: "object", properties: {} };
  const keepsReferences = dialect === "standard" && !isUnion(schema) && !hasPart(schema, hasForeignReference);
  const root = toObjectRoot(keepsReferences ? schema : inlineReferences(schema));
  const adapted = dialect === "openapi" ? toOpenApi(root) : tidy(root, dialect);
  return { ...adapted, type: "object", properties: isRecord(adapted.properties) ? adapted.properties : {} };
}

/** Limits the schema of one tool to 100,000 characters; no model reads more. */
const longest = 100_000;

function measureSchema(schema: JsonSchema): number {
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
 * No vendor accepts a union as the root of the arguments. The fields of all variants are placed side by side, each with the
 * descriptions from the variants that have it.
 */
function toObjectRoot(schema: JsonSchema): JsonSchema {
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
  const shown = choices.length > 1 ? `Give one of: ${choices.map((names) => `(${names})`).join(" or ")}.` : "";
  const description = [root.description, shown].filter((text) => typeof text === "string" && text !== "").join(" ");
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
    properties: inlineFields(node.properties) ?? (types.includes("object") ? {} : undefined),
    // A plain yes or no tells a model little, and costs 3 % of what fifty tools weigh.
    additionalProperties: isRecord(node.additionalProperties) ? node.additionalProperties : undefined,
    ...toBound(node, "minimum", "exclusiveMinimum"),
    ...toBound(node, "maximum", "exclusiveMaximum"),
    ...toElements(node, types),
    ...(dialect === "inlined" ? toPlainUnion(node, types) : {}),
  };
  return resolveDefinitions({ ...node, ...changes });
}

/** A field whose schema is `true` gets an empty schema. A field that must be absent is left out. */
function inlineFields(properties: unknown): JsonSchema | undefined {
  if (!isRecord(properties)) return undefined;
  const shown = Object.entries(properties).filter(([, part]) => part === true || isRecord(part));
  return Object.fromEntries(shown.map(([name, part]) => [name, part === true ? {} : part]));
}

/** In draft 4, `exclusiveMinimum: true` stands beside a minimum. */
function toBound(node: JsonSchema, limit: "minimum" | "maximum", exclusive: string): JsonSchema {
  if (typeof node[exclusive] !== "boolean") return {};
  return node[exclusive] ? { [limit]: undefined, [exclusive]: node[limit] } : { [exclusive]: undefined };
}

/** In draft 7, `items` may be a list of schemas. Vendors refuse an array that does not describe its items. */
function toElements(node: JsonSchema, types: readonly string[]): JsonSchema {
  if (Array.isArray(node.items)) {
    const rest = isRecord(node.additionalItems) ? node.additionalItems : {};
    return { prefixItems: node.items.length > 0 ? node.items : undefined, items: rest, additionalItems: undefined };
  }
  const says = isRecord(node.items) || Array.isArray(node.prefixItems);
  return types.includes("array") && !says ? { items: {} } : {};
}

/**
 * Rewrites unions for vendors that support them poorly: `anyOf` replaces `oneOf`, no type stands beside it, and a list replaces
 * a single constant.
 */
function toPlainUnion(node: JsonSchema, types: readonly string[]): JsonSchema {
  const forms = Array.isArray(node.anyOf) ? node.anyOf : node.oneOf;
  const list = Array.isArray(node.enum) || node.const === undefined ? {} : { enum: [node.const] };
  const plain: JsonSchema = { const: undefined, oneOf: undefined, ...list };
  if (!Array.isArray(forms) || forms.length === 0) return plain;
  const [only, ...others] = types;
  const own = only !== undefined && others.length === 0 ? { type: only } : {};
  return { ...plain, type: undefined, anyOf: forms.map((form) => (isRecord(form) ? { ...own, ...form } : form)) };
}

function resolveDefinitions(schema: JsonSchema): JsonSchema {
  return removeKeywords(
    schema,
    Object.keys(schema).filter((key) => schema[key] === undefined),
  );
}

/** Limits the expanded schema in characters. References that multiply are cut off beyond it. */
const maxSchemaLength = 60_000;
const maxReferenceDepth = 24;

/**
 * Replaces each reference by the schema that it points to. Nothing is fetched: an external reference allows anything. A schema
 * that contains itself is cut at its first recursion.
 */
export function inlineReferences(root: JsonSchema): JsonSchema {
  let left = maxSchemaLength;

  function visit(node: JsonSchema, trail: readonly string[], depth: number): JsonSchema {
    left -= measureNode(node);
    if (left < 0 || depth > maxReferenceDepth) return cut(node);
    const reference = node.$ref;
    if (typeof reference !== "string") return mapParts(node, (part) => visit(part, trail, depth + 1));
    const siblings = removeKeywords(node, ["$ref"]);
    const target = findPointed(root, reference);
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

function measureNode(node: JsonSchema): number {
  const shallow = mapParts(node, () => ({}));
  return JSON.stringify(shallow).length;
}

function cut({ type, description }: JsonSchema): JsonSchema {
  const [only, ...others] = typeof type === "string" ? [type] : toStrings(type);
  const shown = typeof description === "string" ? description.slice(0, 200) : undefined;
  return {
    ...(only !== undefined && others.length === 0 ? { type: only } : {}),
    ...(shown === undefined ? {} : { description: shown }),
  };
}

/** Resolves `#`, `#/$defs/name`, and the same after the root's own `$id`. */
function findPointed(root: JsonSchema, reference: string): JsonSchema | undefined {
  const own = typeof root.$id === "string" ? root.$id.replace(/#$/, "") : "";
  const local = own !== "" && reference.startsWith(`${own}#`) ? reference.slice(own.length) : reference;
  if (local === "#" || local === own) return root;
  if (!local.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const step of local.slice(2).split("/")) {
    const key = decodeStep(step).replaceAll("~1", "/").replaceAll("~0", "~");
    const inside: Record<string, unknown> = Array.isArray(node) ? { ...node } : isRecord(node) ? node : {};
    node = Object.hasOwn(inside, key) ? inside[key] : undefined;
  }
  return isRecord(node) ? node : undefined;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
