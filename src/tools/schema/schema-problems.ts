import type { ErrorObject } from "ajv";
import { showName, toValueProblem, unknownField } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";
import { describeKeyword, toText } from "./schema-texts.ts";

/** Puts a validator's errors into words: one line a place and fault, the branches of `anyOf` and `oneOf` in one. */
export function describeProblems(errors: readonly ErrorObject[]): ArgumentProblem[] {
  const problems = withoutBranches(errors).map(describe);
  const seen = new Set<string>();
  return problems.filter(({ path, text }) => {
    const key = `${path}: ${text.en}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** Ajv reports what failed inside each branch just before the `anyOf` itself; only the whole is worth a line. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
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
  const path = readablePath(error.instancePath);
  const named = (name: unknown) => (path === "" ? showName(name) : `${path}.${showName(name)}`);
  const { keyword, params, data } = error;
  if (keyword === "required") return missing(named(params.missingProperty));
  if (keyword === "dependentRequired" || keyword === "dependencies") return missing(named(params.missingProperty));
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") {
    const name = params.additionalProperty ?? params.unevaluatedProperty;
    return unknownField(named(name), fieldsOf(error.parentSchema));
  }
  if (keyword === "propertyNames")
    return { path: named(params.propertyName), text: toText("字段名不合要求", "this field name is not valid") };
  const text = describeKeyword(error);
  return toValueProblem(path, data, text.zh, text.en);
}

function missing(path: string): ArgumentProblem {
  return { path, text: toText("字段是必需的（缺失）", "this field is required (missing)") };
}

function fieldsOf(schema: unknown): string[] {
  return isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : [];
}

/** `/filters/labels/2` as `filters.labels[2]`. */
function readablePath(pointer: string): string {
  const steps = pointer.split("/").slice(1);
  const path = steps.map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${showName(step.replaceAll("~1", "/").replaceAll("~0", "~"))}`,
  );
  return path.join("").replace(/^\./, "");
}
