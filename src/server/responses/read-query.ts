import * as z from "zod";
import { parseInput } from "../mcp/read-input.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import type { WireItem } from "./read-items.ts";

const startQuery = z.object({
  stream: z.enum(["true", "false"]).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
});

const inputQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  order: z.enum(["asc", "desc"]).optional(),
  after: z.string().max(200).optional(),
});

export type InputQuery = z.infer<typeof inputQuery>;

/** Returns the number of the first event that is wanted, and undefined for the response as a whole. Throws `HttpRefusalError` (400). */
export function readStart(request: Request): number | undefined {
  const { stream, starting_after: after } = readQuery(request, startQuery);
  if (stream !== "true") return undefined;
  return after === undefined ? 0 : after + 1;
}

/** Throws `HttpRefusalError` (400) for a parameter that is not allowed. */
export function readInputQuery(request: Request): InputQuery {
  return readQuery(request, inputQuery);
}

function readQuery<T>(request: Request, schema: z.ZodType<T>): T {
  const read = parseInput(schema, Object.fromEntries(new URL(request.url).searchParams));
  if ("input" in read) return read.input;
  const [problem] = read.problems;
  throw fieldRefusedError(problem?.path ?? "", problem?.text ?? { zh: "不可用", en: "is not allowed" });
}

/** Returns a part of a list in OpenAI's form, newest first unless the order is `asc`; undefined where `after` is not in it. */
export function toItemPage(items: readonly WireItem[], { limit = 20, order = "desc", after }: InputQuery) {
  const sorted = order === "asc" ? items : items.toReversed();
  const index = after === undefined ? -1 : sorted.findIndex(({ id }) => id === after);
  if (after !== undefined && index < 0) return undefined;
  const data = sorted.slice(index + 1, index + 1 + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: sorted.length > index + 1 + limit,
  };
}
