import type { JSONRPCErrorResponse, JSONRPCMessage } from "@modelcontextprotocol/client";
import { isRecord } from "../../kit/json.ts";
import { ownErrors } from "./own-errors.ts";

/** Limits how much of a response is shown, in UTF-16 units; what is told of it is cut shorter once it has no secrets. */
const longestShown = 2000;

/** Is the package's reader of a message, which throws where it finds none. */
export type ParseMessage = (value: unknown) => JSONRPCMessage;

/**
 * Reads a message. A malformed response becomes an error, so that its request fails at once: the package drops such a response,
 * and the request would wait for its time limit. Undefined for anything else that is no message.
 */
export function readMessage(value: unknown, parse: ParseMessage): JSONRPCMessage | undefined {
  try {
    return parse(value);
  } catch {
    return toMalformedError(value);
  }
}

/** Returns the error for a value that the package refuses, where it stands in place of a response. */
export function toMalformedError(value: unknown): JSONRPCErrorResponse | undefined {
  if (!isRecord(value) || "method" in value) return undefined;
  const { id } = value;
  // A program may log JSON of its own that has an id.
  const isResponse = "jsonrpc" in value || "result" in value || isRecord(value.error);
  if (!isResponse || !(typeof id === "string" || Number.isSafeInteger(id))) return undefined;
  const error = { code: ownErrors.malformed, message: JSON.stringify(value).slice(0, longestShown) };
  return { jsonrpc: "2.0", id: id as string | number, error };
}
