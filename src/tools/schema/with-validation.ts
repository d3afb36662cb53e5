import type { ErrorObject } from "ajv";
import {
  renderArgumentProblems,
  showName,
  showValue,
  toUnknownFieldLine,
  toValueProblem,
} from "../../core/tools/argument-feedback.ts";
import { fillDefaults } from "../../core/tools/fill-defaults.ts";
import { type ArgumentProblem, createFailure, type Tool } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import { isRecord, type JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { wrapTool } from "../create-tool.ts";
import type { ArgumentsCheck } from "./compile-schema.ts";

/**
 * Checks the arguments against the tool's schema, then by the tool's own check, before it runs; what is wrong goes back to the
 * model, all at once. Nothing is repaired; required fields that are missing are filled in where they have a default. The schema
 * is compiled at the first call. What of it cannot be checked is left to the tool, and one that is too large refuses every call.
 */
export function withValidation(tool: Tool): Tool {
  let compiled: Promise<ArgumentsCheck> | undefined;
  async function checkFilled(filled: JsonObject): Promise<ArgumentProblem[]> {
    compiled ??= import("./compile-schema.ts").then(({ compileKnownParts }) => compileKnownParts(tool.inputSchema));
    const problems = describeProblems((await compiled)(filled));
    return problems.length > 0 ? problems : ((await tool.check?.(filled)) ?? []);
  }
  const checked = wrapTool(tool, async (given, context) => {
    const args = fillDefaults(given, tool.inputSchema);
    try {
      const problems = await checkFilled(args);
      if (problems.length > 0)
        return createFailure("invalid_arguments", renderArgumentProblems(context.locale, problems));
    } catch (thrown) {
      return createFailure("tool", say(context.locale, toDuetError(thrown).text));
    }
    return tool.run(args, context);
  });
  return { ...checked, check: (args) => checkFilled(fillDefaults(args, tool.inputSchema)) };
}

/** Puts a validator's errors into words: one line a place and fault, the branches of `anyOf` and `oneOf` in one. */
export function describeProblems(errors: readonly ErrorObject[]): ArgumentProblem[] {
  const problems = removeBranches(errors).map(describe);
  const seen = new Set<string>();
  return problems.filter(({ path, text }) => {
    const key = `${path}: ${text.en}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** Ajv reports the failures inside each branch just before the `anyOf` itself, and only the latter is worth a line. */
function removeBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    // The branch of an `if` that did not hold says all there is to say.
    if (error.keyword === "if") continue;
    if (isChoice(error)) while (kept.length > 0 && isInside(kept.at(-1), error)) kept.pop();
    kept.push(error);
  }
  return kept;
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

function isInside(inner: ErrorObject | undefined, choice: ErrorObject): boolean {
  if (inner === undefined || !inner.instancePath.startsWith(choice.instancePath)) return false;
  const parent = choice.schemaPath.slice(0, -choice.keyword.length);
  if (!inner.schemaPath.startsWith(parent)) return true;
  // Behind a reference the schema's path starts anew in its definitions.
  return [choice.keyword, "$defs", "definitions"].includes(inner.schemaPath.slice(parent.length).split("/")[0] ?? "");
}

function describe(error: ErrorObject): ArgumentProblem {
  const path = toReadablePath(error.instancePath);
  const renderPath = (name: unknown) => (path === "" ? showName(name) : `${path}.${showName(name)}`);
  const { keyword, params, data } = error;
  if (keyword === "required") return toMissingProblem(renderPath(params.missingProperty));
  if (keyword === "dependentRequired" || keyword === "dependencies")
    return toMissingProblem(renderPath(params.missingProperty));
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return toUnknownFieldLine(renderPath(name), listFields(error.parentSchema));
  }
  if (keyword === "propertyNames")
    return { path: renderPath(params.propertyName), text: toText("字段名不合要求", "this field name is not valid") };
  const text = describeKeyword(error);
  return toValueProblem(path, data, text.zh, text.en);
}

function toMissingProblem(path: string): ArgumentProblem {
  return { path, text: toText("字段是必需的（缺失）", "this field is required (missing)") };
}

function listFields(schema: unknown): string[] {
  return isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
}

/** Converts `/filters/labels/2` to `filters.labels[2]`. */
function toReadablePath(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${showName(step.replaceAll("~1", "/").replaceAll("~0", "~"))}`,
  );
  return path.join("").replace(/^\./, "");
}

/** Describes what the keyword requires, without the value. */
export function describeKeyword({ keyword, params, schema }: ErrorObject): Text {
  const limit = params.limit;
  switch (keyword) {
    case "type":
      return describeMust(describeTypes(schema));
    case "enum":
      return describeOneOf(schema);
    case "const":
      return toText(`必须等于 ${showValue(schema)}`, `must be ${showValue(schema)}`);
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return toText(`必须 ${params.comparison} ${limit}`, `must be ${params.comparison} ${limit}`);
    case "multipleOf":
      return toText(`必须是 ${params.multipleOf} 的倍数`, `must be a multiple of ${params.multipleOf}`);
    case "minLength":
      return toText(`长度不能少于 ${limit} 个字符`, `must have at least ${limit} characters`);
    case "maxLength":
      return toText(`长度不能超过 ${limit} 个字符`, `must have at most ${limit} characters`);
    case "minItems":
      return toText(`至少要有 ${limit} 项`, `must have at least ${limit} items`);
    case "maxItems":
      return toText(`最多只能有 ${limit} 项`, `must have at most ${limit} items`);
    case "items":
    case "additionalItems":
    case "unevaluatedItems":
      return toText("项数过多", "has too many items");
    case "uniqueItems":
      return toText(`第 ${params.j} 项和第 ${params.i} 项重复`, `items ${params.j} and ${params.i} are the same`);
    case "contains":
      return toText("缺少一个符合要求的项", "has no item that matches");
    case "minProperties":
      return toText(`至少要有 ${limit} 个字段`, `must have at least ${limit} fields`);
    case "maxProperties":
      return toText(`最多只能有 ${limit} 个字段`, `must have at most ${limit} fields`);
    case "pattern":
      return toText(`必须匹配模式 ${showValue(params.pattern)}`, `must match the pattern ${showValue(params.pattern)}`);
    case "format":
      return toText(`必须是 ${params.format} 格式`, `must be in the format ${params.format}`);
    case "anyOf":
      return describeChoice(schema);
    case "oneOf":
      return params.passingSchemas
        ? toText("同时符合多种形式，只能符合一种", "matches more than one schema, but must match exactly one")
        : describeChoice(schema);
    case "not":
      return toText("不允许这样的值", "must not match this schema");
    case "false schema":
      return toText("这里不允许任何值", "nothing is allowed here");
    default:
      return toText(`不符合要求 ${keyword}`, `does not satisfy "${keyword}"`);
  }
}

function describeMust(names: Text): Text {
  return toText(`必须是${names.zh}`, `must be ${names.en}`);
}

function describeOneOf(values: unknown): Text {
  const list = (Array.isArray(values) ? values : [values]).slice(0, 20).map(showValue).join(", ");
  return toText(`必须是以下之一：${list}`, `must be one of: ${list}`);
}

/** Summarises the branches by a type, by the values, or by the fields that an object needs. */
function describeChoice(branches: unknown): Text {
  const list = Array.isArray(branches) ? branches : [];
  const constants = list.filter(isRecord).filter((branch) => "const" in branch);
  if (constants.length > 0 && constants.length === list.length)
    return describeOneOf(constants.map((branch) => branch.const));
  return describeMust(joinTexts(list.slice(0, 8).map(describeForm)));
}

function describeForm(branch: unknown): Text {
  if (!isRecord(branch)) return toText("其他形式", "another form");
  if ("const" in branch) return toText(` ${showValue(branch.const)}`, showValue(branch.const));
  if (Array.isArray(branch.enum)) {
    const list = branch.enum.slice(0, 8).map(showValue).join(" / ");
    return toText(` ${list}`, list);
  }
  if (Array.isArray(branch.required) && branch.required.length > 0) {
    const fields = branch.required.slice(0, 8).map(showName).join(", ");
    return toText(`含字段 ${fields} 的对象`, `an object with ${fields}`);
  }
  if (branch.type !== undefined) return describeTypes(branch.type);
  return toText("其他形式", "another form");
}

const types = new Map<unknown, Text>([
  ["string", toText("字符串", "a string")],
  ["integer", toText("整数", "an integer")],
  ["number", toText("数字", "a number")],
  ["boolean", toText("布尔值 (true/false)", "true or false")],
  ["array", toText("数组", "an array")],
  ["object", toText("对象", "an object")],
  ["null", toText(" null", "null")],
]);

function describeTypes(type: unknown): Text {
  const names = Array.isArray(type) ? type : [type];
  return joinTexts(names.map((name) => types.get(name) ?? toText(showName(name), showName(name))));
}

function joinTexts(texts: readonly Text[]): Text {
  const zh = [...new Set(texts.map((text) => text.zh))].join("或");
  const en = [...new Set(texts.map((text) => text.en))].join(" or ");
  return toText(zh, en);
}

function toText(zh: string, en: string): Text {
  return { zh, en };
}
