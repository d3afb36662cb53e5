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
  const fields = issues.slice(0, mostFields).map((issue) => describeField(findProblem(issue), request));
  return { zh: fields.map(({ zh }) => zh).join("；"), en: fields.map(({ en }) => en).join("; ") };
}

function isIssueOfParams(issue: unknown): issue is z.core.$ZodIssue {
  return isRecord(issue) && Array.isArray(issue.path) && issue.path[0] === "params";
}

/** Locates a value that is refused, and holds what is allowed in its place. */
interface Problem {
  path: Path;
  allowed: JsonSchema;
}

function findProblem(issue: z.core.$ZodIssue): Problem {
  const path = getIssuePath(issue);
  if (issue.code === "invalid_type") return { path, allowed: { type: types[issue.expected] ?? issue.expected } };
  if (issue.code === "invalid_value") return { path, allowed: { enum: issue.values } };
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return { path, allowed: {} };
  // The form with the fewest issues is the one that was meant; several are told together.
  const fewest = Math.min(...issue.errors.map(({ length }) => length));
  const nearest = issue.errors.flatMap((form) => (form.length === fewest ? form.slice(0, 1).map(findProblem) : []));
  const steps = nearest[0]?.path ?? [];
  const same = nearest.filter((problem) => renderPath(problem.path) === renderPath(steps));
  return { path: [...path, ...steps], allowed: { anyOf: same.map(({ allowed }) => allowed) } };
}

/** Maps those of Zod's words that JSON Schema does not have. */
const types: Readonly<Record<string, string>> = { record: "object", int: "integer" };

function describeField({ path, allowed }: Problem, request: unknown): Text {
  const [, ...inParams] = path;
  const shown = renderPath(inParams.map((step) => (typeof step === "number" ? step : showName(step))));
  return describeInvalid(shown || "params", getValue(request, path), describeAllowed(allowed, shown));
}
