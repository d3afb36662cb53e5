import type * as z from "zod";
import { getValue, type Path, renderPath } from "../../config/sources/setting-path.ts";
import { getIssuePath } from "../../core/schemas/describe-issue.ts";
import { describeAllowed } from "../../core/schemas/describe-schema.ts";
import { showName } from "../../core/tools/argument-feedback.ts";
import { isRecord, type JsonSchema, tryParseJson } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { describeInvalid } from "./check-message.ts";

/** Limits the fields that one line names. */
const mostFields = 5;

/** Before the list of issues, the package says this of a `tools/call`. */
const issueList = /^(?:Invalid tools\/call request: )?(\[\s*\{.*\])$/s;

/**
 * Says on one line what is wrong with the params of a request that the package has refused with a list of Zod's issues as its
 * message; undefined for another message. `request` is the whole request.
 */
export function describeParams(message: string, request: unknown): Text | undefined {
  const written = issueList.exec(message)?.[1];
  const issues: unknown = written === undefined ? undefined : tryParseJson(written);
  return Array.isArray(issues) ? describeIssues(issues, request) : undefined;
}

/** Says the same of the issues themselves; undefined where one of them is not about the params. */
export function describeIssues(issues: readonly unknown[], request: unknown): Text | undefined {
  // What a handler of ours could not read is no fault of the host.
  if (!issues.every(isIssueOfParams)) return undefined;
  const problems = issues.flatMap(findProblems);
  const fields = problems.slice(0, mostFields).map((problem) => describeField(problem, request));
  const more = problems.length - fields.length;
  if (more > 0) fields.push({ zh: `还有 ${more} 处`, en: `and ${more} more` });
  return { zh: fields.map(({ zh }) => zh).join("；"), en: fields.map(({ en }) => en).join("; ") };
}

function isIssueOfParams(issue: unknown): issue is z.core.$ZodIssue {
  return isRecord(issue) && Array.isArray(issue.path) && issue.path[0] === "params";
}

/** Locates a value that is refused, and holds what is allowed in its place; undefined for a field that may not be there. */
interface Problem {
  path: Path;
  allowed: JsonSchema | undefined;
}

function findProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = getIssuePath(issue);
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], allowed: undefined }));
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ path, allowed: toSchema(issue) }];
  // The form with the fewest issues is the one that was meant; several are told together.
  const fewest = Math.min(...issue.errors.map(({ length }) => length));
  const nearest = issue.errors.flatMap((form) =>
    form.length === fewest ? form.flatMap(findProblems).slice(0, 1) : [],
  );
  const [first] = nearest;
  const steps = first?.path ?? [];
  if (first !== undefined && first.allowed === undefined) return [{ path: [...path, ...steps], allowed: undefined }];
  const same = nearest.filter((problem) => renderPath(problem.path) === renderPath(steps));
  return [{ path: [...path, ...steps], allowed: { anyOf: same.flatMap(({ allowed }) => allowed ?? []) } }];
}

/** Returns the schema of what an issue says is allowed, and an empty one where it does not say it. */
function toSchema(issue: z.core.$ZodIssue): JsonSchema {
  if (issue.code === "invalid_type") return { type: types[issue.expected] ?? issue.expected };
  if (issue.code === "invalid_value") return { enum: issue.values };
  if (issue.code === "too_small") return toBound(issue.origin, "min", issue.minimum, issue.inclusive);
  if (issue.code === "too_big") return toBound(issue.origin, "max", issue.maximum, issue.inclusive);
  return {};
}

function toBound(origin: string, side: "min" | "max", bound: number | bigint, isInclusive = true): JsonSchema {
  const type = types[origin] ?? origin;
  if (type === "string") return { type, [`${side}Length`]: bound };
  if (type === "array") return { type, [`${side}Items`]: bound };
  if (isInclusive) return { type, [`${side}imum`]: bound };
  return { type, [side === "min" ? "exclusiveMinimum" : "exclusiveMaximum"]: bound };
}

/** Maps those of Zod's words that JSON Schema does not have. */
const types: Readonly<Record<string, string>> = { record: "object", int: "integer" };

function describeField({ path, allowed }: Problem, request: unknown): Text {
  const [, ...inParams] = path;
  const shown = renderPath(inParams.map((step) => (typeof step === "number" ? step : showName(step))));
  const inWords = allowed === undefined ? noField : describeAllowed(allowed, shown);
  return describeInvalid(shown || "params", getValue(request, path), inWords);
}

const noField: Text = { zh: "没有这个字段", en: "no field of this name" };
