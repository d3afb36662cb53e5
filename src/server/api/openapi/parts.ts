import { pageLimits } from "../page-query.ts";
import { type SchemaName, toSchemaReference } from "./components.ts";

/** A body of JSON. */
export function describeJson(name: SchemaName) {
  return { "application/json": { schema: { $ref: toSchemaReference(name) } } };
}

/** An answer of JSON. */
export function describeResponse(description: string, name: SchemaName) {
  return { description, content: describeJson(name) };
}

/** Problem details, for one of the reasons why a request is not served. */
export function describeProblem(description: string) {
  return { description, content: { "application/problem+json": { schema: { $ref: toSchemaReference("Problem") } } } };
}

/** The same, or the outcome of a run that failed before it did anything: `Retry-After` says when it is worth asking again. */
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

/** Which part of a list is wanted. */
export const pageParameters = [
  describeQueryParameter("limit", "How many."),
  describeQueryParameter("offset", "How many to pass over."),
];

/** Why any request under `/agent` may not be served. */
export const commonProblems = {
  401: describeProblem("Nobody is signed in, or the token does not count; WWW-Authenticate says how."),
  403: describeProblem("This caller, or a page of this origin, may not do that."),
  default: describeProblem(
    "What else is wrong, with the codes of the contract's section 5; Retry-After in seconds where it helps.",
  ),
};
