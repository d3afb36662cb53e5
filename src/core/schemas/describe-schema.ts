import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Finds the schema of the value at `path`. Where a value may have several forms, those that have the path are its alternatives. */
export function findSchema(schema: unknown, path: readonly (string | number)[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined || !isRecord(schema)) return isRecord(schema) ? schema : undefined;
  const forms = listForms(schema);
  if (forms !== undefined) {
    const found = forms.map((form) => findSchema(form, path)).filter((form) => form !== undefined);
    return found.length > 1 ? { anyOf: found } : found[0];
  }
  if (typeof step === "number") return findSchema(schema.items, rest);
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return findSchema(Object.hasOwn(properties, step) ? properties[step] : schema.additionalProperties, rest);
}

/** Lists the keys of the object at `path`; none where the schema has several objects there. */
export function listKeys(schema: unknown, path: readonly (string | number)[]): string[] {
  const node = findSchema(schema, path);
  const objects = (listForms(node) ?? [node]).flatMap((form) =>
    isRecord(form) && isRecord(form.properties) ? [form.properties] : [],
  );
  return objects.length === 1 ? Object.keys(objects[0] ?? {}) : [];
}

/** Returns the alternatives of a schema. Null, which stands for an absent value, is none of them. */
function listForms(schema: unknown): unknown[] | undefined {
  if (!isRecord(schema)) return undefined;
  const types = Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : undefined;
  const forms = schema.anyOf ?? schema.oneOf ?? types;
  return Array.isArray(forms) ? forms.filter((form) => !isRecord(form) || form.type !== "null") : undefined;
}

/** Describes in words what a JSON Schema allows. `name` is the name of the value. */
export function describeAllowed(schema: unknown, name: string): Text {
  if (!isRecord(schema)) return anything;
  const forms = listForms(schema);
  if (forms !== undefined) return joinForms(forms.map((form) => describeAllowed(form, name)));
  const values = "const" in schema ? [schema.const] : schema.enum;
  if (Array.isArray(values)) {
    const list = values.join(", ");
    return { zh: list, en: list };
  }
  if (schema.type === "integer") return describeIntegers(schema);
  if (schema.type === "number") return describeNumbers(schema, name);
  if (schema.type === "string") return describeLength(schema.minLength, schema.maxLength, characters);
  if (schema.type === "array") return describeLength(schema.minItems, schema.maxItems, entries);
  return types[String(schema.type)] ?? anything;
}

function joinForms(forms: readonly Text[]): Text {
  const join = (texts: readonly string[], word: string) => [...new Set(texts)].join(word);
  return {
    zh: join(
      forms.map(({ zh }) => zh),
      "，或 ",
    ),
    en: join(
      forms.map(({ en }) => en),
      ", or ",
    ),
  };
}

function describeIntegers({ minimum, maximum }: Record<string, unknown>): Text {
  const least = typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const most = typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (least === undefined) {
    return most === undefined
      ? { zh: "整数", en: "an integer" }
      : { zh: `不大于 ${most} 的整数`, en: `an integer of at most ${most}` };
  }
  if (most === undefined) return { zh: `不小于 ${least} 的整数`, en: `an integer of at least ${least}` };
  if (least === most) return { zh: String(least), en: String(least) };
  return { zh: `${least} 到 ${most} 的整数`, en: `an integer from ${least} to ${most}` };
}

function describeNumbers(schema: Record<string, unknown>, name: string): Text {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const low = renderBound(minimum, "<=") ?? renderBound(exclusiveMinimum, "<");
  const high = maximum === undefined ? exclusiveMaximum : maximum;
  if (low === undefined && high === undefined) return { zh: "数字", en: "a number" };
  const above = high === undefined ? "" : ` ${maximum === undefined ? "<" : "<="} ${high}`;
  const range = `${low === undefined ? "" : `${low} `}${name}${above}`;
  return { zh: `数字，${range}`, en: `a number, ${range}` };
}

function renderBound(bound: unknown, sign: string): string | undefined {
  return bound === undefined ? undefined : `${bound} ${sign}`;
}

/** Holds the words for a text or a list and for what its length counts. */
interface LengthTexts {
  whole: Text;
  filled: Text;
  unit: Text;
}

const characters: LengthTexts = {
  whole: { zh: "文本", en: "a string" },
  filled: { zh: "非空文本", en: "a non-empty string" },
  unit: { zh: "个字符", en: "characters" },
};

const entries: LengthTexts = {
  whole: { zh: "列表", en: "a list" },
  filled: { zh: "非空列表", en: "a non-empty list" },
  unit: { zh: "项", en: "entries" },
};

function describeLength(least: unknown = 0, most: unknown, { whole, filled, unit }: LengthTexts): Text {
  if (most !== undefined) {
    return least === 0
      ? { zh: `至多 ${most} ${unit.zh}的${whole.zh}`, en: `${whole.en} of at most ${most} ${unit.en}` }
      : { zh: `${least} 到 ${most} ${unit.zh}的${whole.zh}`, en: `${whole.en} of ${least} to ${most} ${unit.en}` };
  }
  if (least === 0) return whole;
  if (least === 1) return filled;
  return { zh: `至少 ${least} ${unit.zh}的${whole.zh}`, en: `${whole.en} of at least ${least} ${unit.en}` };
}

const anything: Text = { zh: "其他值", en: "another value" };

const types: Record<string, Text> = {
  null: { zh: "null", en: "null" },
  boolean: { zh: "true 或 false", en: "true or false" },
  object: { zh: "对象", en: "an object" },
};
