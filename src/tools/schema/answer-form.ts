// Loads Ajv, which is heavy and CommonJS: whoever needs this file imports it when first needed.
import type { AnswerForm, AnswerReading } from "../../core/answer-form.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { getMessage } from "../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { compileCheck, findSchemaErrors, findSchemaExcess } from "./compile-schema.ts";
import { removeAbsent } from "./remove-absent.ts";
import { describeProblems } from "./with-validation.ts";

/** Names the schema to the vendors that want a name. */
const formName = "answer";

/** Limits how many problems of an answer or of a schema are told. */
const mostProblems = 20;

/**
 * Opens the form of an answer for a JSON Schema, or returns what is wrong with the schema: it describes no object, is not valid, is
 * too large, or refers to something outside of itself, which is never fetched.
 */
export function openAnswerForm(schema: unknown): { form: AnswerForm } | { problem: Text } {
  if (!isJsonObject(schema)) return { problem: describeNoObject(showValue(schema)) };
  const excess = findSchemaExcess(schema);
  if (excess !== undefined)
    return { problem: { zh: `模式过大：${excess.zh}`, en: `the schema is too large: ${excess.en}` } };
  const remote = findRemoteReference(schema);
  if (remote !== undefined) return { problem: describeRemote(toShortLine(remote, 120)) };
  if (!isObjectSchema(schema)) return { problem: describeNoObject(`{"type": ${JSON.stringify(schema.type ?? null)}}`) };
  const [error] = describeProblems(findSchemaErrors(schema));
  if (error !== undefined)
    return { problem: describeInvalid(`${error.path}: ${error.text.zh}`, `${error.path}: ${error.text.en}`) };
  const pattern = findWrongPattern(schema);
  if (pattern !== undefined) return { problem: describeWrongPattern(toShortLine(JSON.stringify(pattern), 120)) };
  try {
    const check = compileCheck(schema);
    const { description } = schema;
    const named =
      typeof description === "string" && description !== "" ? { description: description.slice(0, 1000) } : {};
    return {
      form: {
        format: { type: "json_schema", name: formName, schema, ...named },
        read: (written) => readAnswer(written, schema, (output) => describeProblems(check(output)).map(toLine)),
      },
    };
  } catch (thrown) {
    const reason = toShortLine(getMessage(thrown), 200);
    return { problem: describeInvalid(reason, reason) };
  }
}

/** Is the form of an answer that is any JSON object. */
export const jsonObjectForm: AnswerForm = {
  format: { type: "json_object" },
  read: (written) => readAnswer(written, {}, () => []),
};

function readAnswer(written: string, schema: JsonSchema, check: (output: JsonObject) => Text[]): AnswerReading {
  const parsed = parseJson(written);
  if ("problem" in parsed) return { problems: [parsed.problem] };
  const { value } = parsed;
  if (!isJsonObject(value)) {
    const shown = showValue(value);
    return { problems: [{ zh: `${shown} 不是 JSON 对象`, en: `${shown} is not a JSON object` }] };
  }
  const output = removeAbsent(value, schema);
  const problems = check(output);
  return problems.length === 0 ? { output } : { problems: problems.slice(0, mostProblems) };
}

/** Models that are asked for JSON in words put it into a code fence, or a sentence before it. */
function parseJson(written: string): { value: unknown } | { problem: Text } {
  const text = written.trim();
  const fenced = /^```\w*\s*\n([\s\S]*?)\n?\s*```$/.exec(text)?.[1];
  const inner = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  let reason = "";
  for (const candidate of [text, fenced, inner]) {
    if (candidate === undefined || candidate === "") continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch (thrown) {
      reason ||= toShortLine(getMessage(thrown), 120);
    }
  }
  if (text === "") return { problem: { zh: "回答是空的", en: "the answer is empty" } };
  return { problem: { zh: `回答不是 JSON：${reason}`, en: `the answer is not JSON: ${reason}` } };
}

/** Checks only for an object, because what was parsed from JSON is JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function toLine({ path, text }: { path: string; text: Text }): Text {
  return path === "" ? text : { zh: `${path}：${text.zh}`, en: `${path}: ${text.en}` };
}

function isObjectSchema({ type, properties, $ref, anyOf, oneOf, allOf }: JsonSchema): boolean {
  if (type !== undefined) return type === "object";
  return [properties, $ref, anyOf, oneOf, allOf].some((part) => part !== undefined);
}

/** Returns the first reference that leads out of the schema. */
function findRemoteReference(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  if (isRecord(node))
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const reference = node[key];
      if (typeof reference === "string" && !reference.startsWith("#")) return reference;
    }
  for (const part of Object.values(node)) {
    const found = findRemoteReference(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first pattern that is no regular expression: the check of an answer passes over what it cannot compile. */
function findWrongPattern(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  if (isRecord(node)) {
    const { pattern, patternProperties } = node;
    const patterns = isRecord(patternProperties) ? Object.keys(patternProperties) : [];
    if (typeof pattern === "string") patterns.push(pattern);
    const wrong = patterns.find((written) => !isRegExp(written, "u") && !isRegExp(written, ""));
    if (wrong !== undefined) return wrong;
  }
  for (const [key, part] of Object.entries(node)) {
    // What stands there is data, in which a text of this name means nothing.
    if (["const", "enum", "default", "examples"].includes(key)) continue;
    const found = findWrongPattern(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRegExp(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

function describeNoObject(shown: string): Text {
  return {
    zh: `${shown} 不描述对象（允许：根为 "type": "object" 的 JSON Schema）`,
    en: `${shown} does not describe an object (allowed: a JSON Schema whose root has "type": "object")`,
  };
}

function describeRemote(shown: string): Text {
  return {
    zh: `"$ref": ${JSON.stringify(shown)} 指向模式之外，不会被读取（允许：以 # 开头的引用）`,
    en: `"$ref": ${JSON.stringify(shown)} leads out of the schema and is not fetched (allowed: references that begin with #)`,
  };
}

function describeWrongPattern(shown: string): Text {
  return {
    zh: `"pattern": ${shown} 不是正则表达式（允许：ECMAScript 的正则表达式）`,
    en: `"pattern": ${shown} is no regular expression (allowed: regular expressions of ECMAScript)`,
  };
}

function describeInvalid(zh: string, en: string): Text {
  return { zh: `不是有效的 JSON Schema：${zh}`, en: `it is not a valid JSON Schema: ${en}` };
}
