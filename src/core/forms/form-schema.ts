import type { JsonSchema } from "../../kit/json.ts";
import type { Choice, FormField } from "./form.ts";

/** The schema of these fields, in the newest spelling. */
export function toFormSchema(fields: readonly FormField[]): JsonSchema {
  const properties = Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)]));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return { type: "object", properties, required };
}

function propertyOf(field: FormField): JsonSchema {
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
      return { type: "string", ...words, ...written(field.choices, "oneOf") };
    case "choices": {
      const items = hasTitles(field.choices) ? {} : { type: "string" };
      const range = { minItems: field.minItems, maxItems: field.maxItems };
      return { type: "array", ...words, ...range, items: { ...items, ...written(field.choices, "anyOf") } };
    }
  }
}

function written(choices: readonly Choice[], titledAs: "oneOf" | "anyOf"): JsonSchema {
  if (!hasTitles(choices)) return { enum: choices.map(({ value }) => value) };
  return { [titledAs]: choices.map(({ value, title }) => ({ const: value, title })) };
}

function hasTitles(choices: readonly Choice[]): boolean {
  return choices.some(({ value, title }) => title !== value);
}
