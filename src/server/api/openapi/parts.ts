import { pageLimits } from "../page-query.ts";
import { refTo, type SchemaName } from "./components.ts";

/** A body of JSON. */
export function json(name: SchemaName) {
  return { "application/json": { schema: { $ref: refTo(name) } } };
}

/** An answer of JSON. */
export function answer(description: string, name: SchemaName) {
  return { description, content: json(name) };
}

/** Problem details, for one of the reasons why a request is not served. */
export function problem(description: string) {
  return { description, content: { "application/problem+json": { schema: { $ref: refTo("Problem") } } } };
}

/** The same, or the outcome of a run that failed before it did anything: `Retry-After` says when it is worth asking again. */
export function problemOrOutcome(description: string) {
  const { content } = problem(description);
  const headers = { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } };
  return { description, headers, content: { ...content, ...json("Outcome") } };
}

export function pathParameter(name: string, description: string) {
  return { name, in: "path", required: true, description, schema: { type: "string" } };
}

export function queryParameter(name: keyof typeof pageLimits, description: string) {
  const { from, to, otherwise } = pageLimits[name];
  const schema = { type: "integer", minimum: from, maximum: to, default: otherwise };
  return { name, in: "query", description, schema };
}

/** Which part of a list is wanted. */
export const pageParameters = [
  queryParameter("limit", "How many."),
  queryParameter("offset", "How many to pass over."),
];

/** Why any request under `/agent` may not be served. */
export const usualProblems = {
  401: problem("Nobody is signed in, or the token does not count; WWW-Authenticate says how."),
  403: problem("This caller, or a page of this origin, may not do that."),
  default: problem(
    "What else is wrong, with the codes of the contract's section 5; Retry-After in seconds where it helps.",
  ),
};
