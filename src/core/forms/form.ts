import { isRecord, type JsonSchema, toText } from "../../kit/json.ts";

/**
 * Represents one field of a form. Names and values go back to the program that asks, and the other texts are for people. All of
 * it is untrusted.
 */
export type FormField = FieldWords &
  (
    | { kind: "text"; format?: TextFormat; minLength?: number; maxLength?: number; default?: string }
    | { kind: "number"; isWhole: boolean; minimum?: number; maximum?: number; default?: number }
    | { kind: "boolean"; default?: boolean }
    /** `isTitledByNames` is true where the titles were written as `enumNames`, the older of two ways. */
    | { kind: "choice"; choices: Choice[]; isTitledByNames?: boolean; default?: string }
    | { kind: "choices"; choices: Choice[]; minItems?: number; maxItems?: number; default?: string[] }
  );

interface FieldWords {
  name: string;
  title?: string;
  description?: string;
  required: boolean;
}

export interface Choice {
  value: string;
  title: string;
}

export type TextFormat = (typeof formats)[number];

const formats = ["email", "uri", "date", "date-time"] as const;

/**
 * Reads the flat schema of a form, as MCP's elicitation has it (2025-11-25, with SEP-1034 and SEP-1330); a type that may also
 * be null counts as itself. Undefined for any other schema.
 */
export function readForm(schema: JsonSchema): FormField[] | undefined {
  const { type, properties, required } = schema;
  if (type !== "object" || !isRecord(properties)) return undefined;
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, property]) => readField(name, property, names.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

function readField(name: string, property: unknown, required: boolean): FormField | undefined {
  if (!isRecord(property)) return undefined;
  const schema = removeNull(property);
  const words = { name, required, title: getText(schema, "title"), description: getText(schema, "description") };
  const choices = readChoices(schema);
  if (choices) {
    const isTitledByNames = schema.enumNames !== undefined;
    return { ...words, kind: "choice", choices, isTitledByNames, default: getText(schema, "default") };
  }
  switch (schema.type) {
    case "string":
      return readText(words, schema);
    case "number":
    case "integer": {
      const range = { minimum: numberAt(schema, "minimum"), maximum: numberAt(schema, "maximum") };
      return {
        ...words,
        kind: "number",
        isWhole: schema.type === "integer",
        ...range,
        default: numberAt(schema, "default"),
      };
    }
    case "boolean":
      return { ...words, kind: "boolean", default: typeof schema.default === "boolean" ? schema.default : undefined };
    case "array":
      return readSeveral(words, schema);
    default:
      return undefined;
  }
}

/** Removes the null from `anyOf`, which Pydantic writes for an optional field. */
function removeNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, type } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== "null");
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  if (!Array.isArray(anyOf)) return schema;
  const [only, ...others] = anyOf.filter((one) => !isRecord(one) || one.type !== "null");
  return anyOf.length === 2 && others.length === 0 && isRecord(only)
    ? { ...schema, anyOf: undefined, ...only }
    : schema;
}

function readText(words: FieldWords, schema: Record<string, unknown>): FormField | undefined {
  // Choices that could not be read do not become a free text.
  if (["enum", "oneOf", "anyOf", "const"].some((key) => schema[key] !== undefined)) return undefined;
  return {
    ...words,
    kind: "text",
    format: formats.find((known) => known === schema.format),
    minLength: numberAt(schema, "minLength"),
    maxLength: numberAt(schema, "maxLength"),
    default: getText(schema, "default"),
  };
}

function readSeveral(words: FieldWords, schema: Record<string, unknown>): FormField | undefined {
  const choices = isRecord(schema.items) ? readChoices(schema.items) : undefined;
  if (choices === undefined) return undefined;
  const { default: chosen } = schema;
  return {
    ...words,
    kind: "choices",
    choices,
    minItems: numberAt(schema, "minItems"),
    maxItems: numberAt(schema, "maxItems"),
    default: Array.isArray(chosen) && chosen.every((one) => typeof one === "string") ? chosen : undefined,
  };
}

/** Returns undefined when the schema is no choice of texts. */
function readChoices(schema: Record<string, unknown>): Choice[] | undefined {
  const { type = "string", enum: values, enumNames, oneOf, anyOf } = schema;
  if (type !== "string") return undefined;
  if (Array.isArray(values)) {
    const titles: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return toChoices(values.map((value, index) => ({ value, title: titles[index] })));
  }
  const titled = oneOf ?? anyOf;
  if (!Array.isArray(titled)) return undefined;
  return toChoices(titled.map((one) => (isRecord(one) ? { value: one.const, title: one.title } : {})));
}

function toChoices(written: readonly { value?: unknown; title?: unknown }[]): Choice[] | undefined {
  const choices = written.flatMap(({ value, title }) =>
    typeof value === "string" ? [{ value, title: toText(title) || value }] : [],
  );
  return choices.length > 0 && choices.length === written.length ? choices : undefined;
}

function getText(schema: Record<string, unknown>, key: string): string | undefined {
  const value = schema[key];
  return typeof value === "string" ? value : undefined;
}

function numberAt(schema: Record<string, unknown>, key: string): number | undefined {
  const value = schema[key];
  return typeof value === "number" ? value : undefined;
}

/** Is the revision of MCP that brought choices with titles in `oneOf`, and several choices at once. */
const firstWithOneOf = "2025-11-25";

/** Returns a form as hosts of this revision of MCP know it. Older ones know the titles of choices as `enumNames` alone. */
export function toKnownForm(schema: JsonSchema, protocolVersion: string): JsonSchema {
  if (protocolVersion >= firstWithOneOf) return schema;
  const fields = readForm(schema);
  if (fields === undefined) return schema;
  return toFormSchema(fields.map((field) => (field.kind === "choice" ? { ...field, isTitledByNames: true } : field)));
}

/** Returns the schema of these fields as MCP has it since 2025-11-25, with titles of choices where they were written. */
export function toFormSchema(fields: readonly FormField[]): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, toProperty(field)]));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return { type: "object", properties, required };
}

function toProperty(field: FormField): JsonSchema {
  const { title, description, default: chosen } = field;
  const words = { title, description, default: chosen };
  switch (field.kind) {
    case "text":
      return { type: "string", ...words, format: field.format, minLength: field.minLength, maxLength: field.maxLength };
    case "number":
      return { type: field.isWhole ? "integer" : "number", ...words, minimum: field.minimum, maximum: field.maximum };
    case "boolean":
      return { type: "boolean", ...words };
    case "choice":
      return {
        type: "string",
        ...words,
        ...writeChoices(field.choices, field.isTitledByNames ? "enumNames" : "oneOf"),
      };
    case "choices": {
      const items = hasTitles(field.choices) ? {} : { type: "string" };
      const range = { minItems: field.minItems, maxItems: field.maxItems };
      return { type: "array", ...words, ...range, items: { ...items, ...writeChoices(field.choices, "anyOf") } };
    }
  }
}

function writeChoices(choices: readonly Choice[], titledAs: "oneOf" | "anyOf" | "enumNames"): JsonSchema {
  const values = choices.map(({ value }) => value);
  if (!hasTitles(choices)) return { enum: values };
  if (titledAs === "enumNames") return { enum: values, enumNames: choices.map(({ title }) => title) };
  return { [titledAs]: choices.map(({ value, title }) => ({ const: value, title })) };
}

function hasTitles(choices: readonly Choice[]): boolean {
  return choices.some(({ value, title }) => title !== value);
}
