import { RefusedError } from "../response/refusal.ts";
import type { RouteCall } from "../routes.ts";
import { readBody } from "./read-body.ts";
import { jsonFaults, readJson } from "./read-json.ts";

/** Returns the JSON of a request, of at most `maxBody` bytes. The caller checks its shape. Throws `RefusedError`. */
export async function readJsonBody(
  { request, connection }: Pick<RouteCall, "request" | "connection">,
  maxBody: number,
): Promise<unknown> {
  const text = await readBody(connection.body, request.headers.get("content-length"), maxBody);
  if (typeof text !== "string") throw new RefusedError(text);
  const read = readJson(text);
  if ("fault" in read) throw new RefusedError({ status: 400, text: jsonFaults[read.fault] });
  return read.value;
}
