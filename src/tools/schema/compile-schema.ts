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
import { findSchemaExcess } from "./schema-limits.ts";

/** Answers every problem of the arguments at once; none when they are valid. */
export type ArgumentsCheck = (args: JsonObject) => ErrorObject[];

/**
 * Compiles a tool's schema in an instance of its own, so that no `$id` of another tool can stand in for it, and fetches
 * nothing. Throws a `DuetError` for a schema that is too large or not valid.
 */
export function compileSchema(schema: JsonSchema): ArgumentsCheck {
  const excess = findSchemaExcess(schema);
  if (excess !== undefined) throw new DuetError({ code: "tool", text: excess });
  const ajv = createAjv(schema);
  ajv.removeKeyword("uniqueItems").addKeyword(uniqueItems());
  // The root's own name could only collide with the dialect's; references within the schema do not need it.
  const { $schema: _dialect, $id: _name, ...rest } = schema;
  try {
    const validate = ajv.compile(rest);
    return (args) => (validate(args) ? [] : [...(validate.errors ?? [])]);
  } catch (thrown) {
    const reason = getMessage(thrown);
    const text = { zh: `工具的参数模式无效：${reason}`, en: `The tool's input schema is not valid: ${reason}` };
    throw new DuetError({ code: "tool", text, cause: thrown });
  }
}

/** MCP's default dialect is 2020-12; many servers still declare draft-07, whose tuples are written differently. */
function createAjv(schema: JsonSchema): Ajv {
  return /draft-0[3-7]/.test(String(schema.$schema)) ? new Ajv(ajvOptions()) : new Ajv2020(ajvOptions());
}

/** Linear in the list, where Ajv compares every item with every other one. */
function uniqueItems(): KeywordDefinition {
  const validate: SchemaValidateFunction = (isOn: boolean, items: readonly unknown[]) => {
    if (!isOn) return true;
    const seen = new Map<string, number>();
    for (const [i, item] of items.entries()) {
      const text = JSON.stringify(item, sortedKeys);
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

function sortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function ajvOptions(): Options {
  /** Linear in the text, whatever the pattern. What RE2 cannot express (look-around) is left to the tool itself to check. */
  const regExp = (pattern: string) => {
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
    code: { regExp: Object.assign(regExp, { code: "RE2JS" }) },
  };
}

/** The formats that models get wrong in ways that help to be told; any other format is not checked. */
const formats: Record<string, Format> = {
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  time: /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(z|[+-]\d\d:?\d\d)?$/i,
  "date-time": (text: string) => /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/i.test(text) && !Number.isNaN(Date.parse(text)),
  email: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  ipv4: /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/,
};
