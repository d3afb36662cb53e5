// Heavy, and CommonJS: whoever needs this file imports it when first needed.
import {
  Ajv,
  type ErrorObject,
  type Format,
  type KeywordDefinition,
  type Options,
  type SchemaValidateFunction,
} from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { resolvePointer } from "../../kit/json-pointer.ts";
import type { Text } from "../../kit/locale.ts";

/** Answers every problem of the arguments at once; none when they are valid. */
export type ArgumentsCheck = (args: JsonObject) => ErrorObject[];

/**
 * Compiles a tool's schema in an instance of its own, so that no `$id` of another tool can stand in for it, and fetches
 * nothing. Throws a `DuetError` for a schema that is too large or not valid.
 */
export function compileSchema(schema: JsonSchema): ArgumentsCheck {
  refuseExcess(schema);
  try {
    return compileCheck(schema);
  } catch (thrown) {
    const reason = getMessage(thrown);
    const text = { zh: `工具的参数模式无效：${reason}`, en: `The tool's input schema is not valid: ${reason}` };
    throw new DuetError({ code: "tool", text, cause: thrown });
  }
}

/**
 * Compiles as much of a schema as can be checked: what it says in another dialect, or refers to elsewhere, is left to the tool.
 * Throws a `DuetError` only for a schema that is too large.
 */
export function compileKnownParts(schema: JsonSchema): ArgumentsCheck {
  refuseExcess(schema);
  for (const reduce of [keepAll, dropReferences, dropUnknownFields]) {
    try {
      return compileCheck(reduce(schema));
    } catch {
      // The next one asks for less.
    }
  }
  return () => [];
}

function keepAll(schema: JsonSchema): JsonSchema {
  return schema;
}

/** Drops the references that lead nowhere within the schema. What stands beside them stays. */
function dropReferences(schema: JsonSchema): JsonSchema {
  const anchors = new Set<unknown>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (!isRecord(node)) return node;
    const entries = Object.entries(node).filter(
      ([key, value]) => key !== "$ref" || typeof value !== "string" || isWithin(value),
    );
    return Object.fromEntries(entries.map(([key, value]) => [key, visit(value)]));
  };
  const isWithin = (reference: string) =>
    resolvePointer(schema, reference) !== undefined || (/^#[^/]/.test(reference) && anchors.has(reference.slice(1)));
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (isRecord(node)) anchors.add(node.$anchor);
    for (const child of Object.values(node)) collect(child);
  };
  collect(schema);
  return toSchema(visit(schema));
}

/** Leaves only those fields to be checked that can be, each by itself. */
function dropUnknownFields(schema: JsonSchema): JsonSchema {
  const { $schema, $defs, definitions, required, properties } = dropReferences(schema);
  const shared = { $schema, $defs, definitions };
  const fields = Object.entries(isRecord(properties) ? properties : {}).map(([name, field]) => {
    const isKnown = canCompile({ ...shared, type: "object", properties: { [name]: field } });
    return [name, isKnown ? field : true];
  });
  const known = { ...shared, type: "object", properties: Object.fromEntries(fields) };
  return canCompile({ ...known, required }) ? { ...known, required } : known;
}

function canCompile(schema: JsonSchema): boolean {
  try {
    compileCheck(schema);
    return true;
  } catch {
    return false;
  }
}

function toSchema(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}

function refuseExcess(schema: JsonSchema): void {
  const excess = findSchemaExcess(schema);
  if (excess === undefined) return;
  const text = { zh: `工具的参数模式过大：${excess.zh}`, en: `The tool's input schema is too large: ${excess.en}` };
  throw new DuetError({ code: "tool", text });
}

/**
 * Compiles a schema whose size was checked before. Throws what Ajv throws for one that is not valid. A check for the `first` problem
 * ends there, and leaves out patterns and formats.
 */
export function compileCheck(schema: JsonSchema, extent: "all" | "first" = "all"): ArgumentsCheck {
  const ajv = createAjv(schema, extent === "all" ? {} : firstOnly);
  if (extent === "first") ajv.removeKeyword("pattern");
  ajv.removeKeyword("uniqueItems").addKeyword(createUniqueItems());
  // The root's own name could only collide with the dialect's; references within the schema do not need it.
  const { $schema: _dialect, $id: _name, ...rest } = schema;
  const validate = ajv.compile(rest);
  return (args) => (validate(args) ? [] : [...(validate.errors ?? [])]);
}

/** Returns what is wrong with a schema by the rules of its own dialect. Draft 4 and 6 are not checked. */
export function findSchemaErrors(schema: JsonSchema): ErrorObject[] {
  const options: Options = { strict: false, logger: false, allErrors: true, verbose: true };
  const dialect = String(schema.$schema ?? "");
  if (/draft-0[3-6]/.test(dialect)) return [];
  const ajv = /draft-07/.test(dialect) ? new Ajv(options) : new Ajv2020(options);
  const { $schema: _dialect, ...rest } = schema;
  return ajv.validateSchema(rest) === true ? [] : [...(ajv.errors ?? [])];
}

/** MCP's default dialect is 2020-12; many servers still declare draft-07, whose tuples are written differently. */
function createAjv(schema: JsonSchema, own: Options): Ajv {
  const options = { ...createAjvOptions(), ...own };
  return /draft-0[3-7]/.test(String(schema.$schema)) ? new Ajv(options) : new Ajv2020(options);
}

/** Ends a check at the first problem. A part that others refer to is compiled once, however often they do. */
const firstOnly: Options = { allErrors: false, validateFormats: false, inlineRefs: false };

/** Takes time linear in the list, whereas Ajv compares each item with every other one. */
function createUniqueItems(): KeywordDefinition {
  const validate: SchemaValidateFunction = (isOn: boolean, items: readonly unknown[]) => {
    if (!isOn) return true;
    const seen = new Map<string, number>();
    for (const [i, item] of items.entries()) {
      const text = JSON.stringify(item, sortKeys);
      const j = seen.get(text);
      if (j !== undefined) {
        validate.errors = [{ keyword: "uniqueItems", params: { i, j }, message: "must NOT have duplicate items" }];
        return false;
      }
      seen.set(text, i);
    }
    return true;
  };
  return { keyword: "uniqueItems", type: "array", schemaType: "boolean", errors: true, validate };
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function createAjvOptions(): Options {
  /**
   * Takes time linear in the text, whatever the pattern. Patterns that RE2 cannot express (look-around) are left to the tool
   * itself to check.
   */
  const compileRegExp = (pattern: string) => {
    try {
      const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
      return { test: (text: string) => compiled.matcher(text).find() };
    } catch {
      return { test: () => true };
    }
  };
  return {
    allErrors: true,
    verbose: true,
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    // An argument called "constructor" is there only if the model sent it.
    ownProperties: true,
    formats,
    code: { regExp: Object.assign(compileRegExp, { code: "RE2JS" }) },
  };
}

/** Checks only the formats in which models make mistakes that an error message helps to fix. Other formats are not checked. */
const formats: Record<string, Format> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  time: /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(z|[+-]\d\d:?\d\d)?$/i,
  "date-time": (text: string) => /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i.test(text) && !Number.isNaN(Date.parse(text)),
  email: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/,
};

const maxCharacters = 100_000;
const maxDepth = 64;
const maxVisits = 100_000;

/** Explains why a schema is too big to be compiled, or returns undefined. Schemas may come from hostile servers. */
export function findSchemaExcess(schema: JsonSchema): Text | undefined {
  const depth = measureDepth(schema);
  if (depth > maxDepth) return { zh: `嵌套深度超过 ${maxDepth}`, en: `it is nested deeper than ${maxDepth}` };
  const size = JSON.stringify(schema).length;
  if (size > maxCharacters)
    return { zh: `${size} 个字符（上限 ${maxCharacters}）`, en: `${size} characters (limit ${maxCharacters})` };
  if (countVisits(schema) > maxVisits) return { zh: "引用展开后过大", en: "its references expand to too much" };
  return undefined;
}

/** Stops counting one level past the limit, so that a schema that contains itself ends too. */
function measureDepth(root: unknown): number {
  let level = [root];
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((node) => (typeof node === "object" && node !== null ? Object.values(node) : []));
    if (level.length === 0) return depth;
    if (level.length > maxCharacters) return maxDepth + 1;
  }
  return maxDepth + 1;
}

/** Counts the subschemas that a validation can visit in one place. Local references count as often as they are used. */
function countVisits(root: JsonSchema): number {
  const known = new Map<object, number>();
  const visit = (node: unknown): number => {
    if (typeof node !== "object" || node === null) return 0;
    const before = known.get(node);
    if (before !== undefined) return before;
    // A reference back to where we are recurses with the data, not with the schema.
    known.set(node, 1);
    let visits = 1;
    for (const child of Object.values(node)) visits += visit(child);
    if (isRecord(node)) visits += visit(resolvePointer(root, node.$ref) ?? resolvePointer(root, node.$dynamicRef));
    known.set(node, Math.min(visits, maxVisits + 1));
    return visits;
  };
  try {
    return visit(root);
  } catch (thrown) {
    // A chain of references longer than the stack.
    if (thrown instanceof RangeError) return maxVisits + 1;
    throw thrown;
  }
}
