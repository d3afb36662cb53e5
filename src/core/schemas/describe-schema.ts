import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { Path } from "../sources/setting-path.ts";

export function findSchema(schema: unknown, path: Path): unknown {
  let node = schema;
  for (const step of path) {
    if (!isRecord(node)) return undefined;
    const properties = isRecord(node.properties) ? node.properties : {};
    if (typeof step === "number") node = node.items;
    else node = Object.hasOwn(properties, step) ? properties[step] : node.additionalProperties;
  }
  return node;
}

export function listKeys(schema: unknown, path: Path): string[] {
  const node = findSchema(schema, path);
  return isRecord(node) && isRecord(node.properties) ? Object.keys(node.properties) : [];
}

/** Describes in words what a JSON Schema allows. `name` is the name of the value. */
export function describeAllowed(schema: unknown, name: string): Text {
  if (!isRecord(schema)) return anything;
  if (Array.isArray(schema.enum)) {
    const list = schema.enum.join(", ");
    return { zh: list, en: list };
  }
  if (schema.type === "integer") return describeIntegers(schema);
  if (schema.type === "number") return describeNumbers(schema, name);
  const isFilled = schema.minLength !== undefined || schema.minItems !== undefined;
  return (isFilled ? filled : types)[String(schema.type)] ?? anything;
}

function describeIntegers({ minimum, maximum }: Record<string, unknown>): Text {
  if (typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER) {
    return { zh: `${minimum} 到 ${maximum} 的整数`, en: `an integer from ${minimum} to ${maximum}` };
  }
  return { zh: `不小于 ${minimum} 的整数`, en: `an integer of at least ${minimum}` };
}

function describeNumbers(schema: Record<string, unknown>, name: string): Text {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const low = minimum === undefined ? `${exclusiveMinimum} <` : `${minimum} <=`;
  const high = maximum === undefined ? `< ${exclusiveMaximum}` : `<= ${maximum}`;
  return { zh: `数字，${low} ${name} ${high}`, en: `a number, ${low} ${name} ${high}` };
}

const anything: Text = { zh: "其他值", en: "another value" };

const filled: Record<string, Text> = {
  string: { zh: "非空文本", en: "a non-empty string" },
  array: { zh: "非空列表", en: "a non-empty list" },
};

const types: Record<string, Text> = {
  string: { zh: "文本", en: "a string" },
  boolean: { zh: "true 或 false", en: "true or false" },
  array: { zh: "列表", en: "a list" },
  object: { zh: "对象", en: "an object" },
};
