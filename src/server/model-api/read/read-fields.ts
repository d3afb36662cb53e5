import type * as z from "zod";
import { isRecord } from "../../../kit/json.ts";
import { describeNoObject } from "../../api/read-fields.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import { parseInput } from "../../mcp/read-input.ts";
import { fieldRefusedError } from "../field-refused-error.ts";

/** Reads the body of a request by its schema. Throws `HttpRefusalError` (400) with the first field that is wrong, and what is allowed. */
export function readFields<T>(schema: z.ZodType<T>, body: unknown): T {
  if (!isRecord(body)) throw new HttpRefusalError({ status: 400, text: describeNoObject(body) });
  const read = parseInput(schema, body);
  if ("input" in read) return read.input;
  const [problem] = read.problems;
  throw fieldRefusedError(problem?.path ?? "", problem?.text ?? describeNoObject(body));
}
