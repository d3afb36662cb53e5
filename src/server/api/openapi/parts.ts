import { pageLimits } from "../page-query.ts";
import { type SchemaName, toSchemaReference } from "./components.ts";

export function describeJson(name: SchemaName) {
  return { "application/json": { schema: { $ref: toSchemaReference(name) } } };
}

export function describeResponse(description: string, name: SchemaName) {
  return { description, content: describeJson(name) };
}

/** Describes problem details for one reason why a request is not served. */
export function describeProblem(description: string) {
  return { description, content: { "application/problem+json": { schema: { $ref: toSchemaReference("Problem") } } } };
}

/**
 * Describes problem details, or the outcome of a run that failed before it did anything. `Retry-After` then says when to ask
 * again.
 */
export function toProblemOrOutcome(description: string) {
  const { content } = describeProblem(description);
  const headers = { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } };
  return { description, headers, content: { ...content, ...describeJson("Outcome") } };
}

export function describePathParameter(name: string, description: string) {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

export function describeQueryParameter(name: keyof typeof pageLimits, description: string) {
  const { from, to, otherwise } = pageLimits[name];
  const schema = { type: "integer", minimum: from, maximum: to, default: otherwise };
  return { name, in: "query", description, schema };
}

export const pageParameters = [
  describeQueryParameter("limit", "How many."),
  describeQueryParameter("offset", "How many to skip."),
];

/** Lists why any request under `/agent` may be refused. */
export const commonProblems = {
  401: describeProblem("The token is missing or not valid; see WWW-Authenticate."),
  403: describeProblem("This caller, or a page of this origin, is not allowed to do this."),
  default: describeProblem("Any other error, with its code; Retry-After in seconds where a retry may help."),
};
