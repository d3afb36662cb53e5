import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";
import { isRecord, tryParseJson } from "../../kit/json.ts";
import { ownErrors } from "./own-errors.ts";

/** Limits how much of a response is shown, in UTF-16 units; what is told of it is cut shorter once it has no secrets. */
const longestShown = 2000;

/**
 * Returns an error for a value that stands in place of a response and is none, so that its request fails at once: the package
 * drops such a value, and the request would wait for its time limit. Undefined for a sound response, and for anything else.
 */
export function toMalformedError(value: unknown): JSONRPCErrorResponse | undefined {
  if (!isRecord(value) || "method" in value) return undefined;
  const { id } = value;
  // A program may log JSON of its own that has an id.
  const isResponse = ("jsonrpc" in value || "result" in value) && (typeof id === "string" || Number.isSafeInteger(id));
  if (!isResponse || isSound(value)) return undefined;
  const error = { code: ownErrors.malformed, message: JSON.stringify(value).slice(0, longestShown) };
  return { jsonrpc: "2.0", id: id as string | number, error };
}

/** The package takes a result or an error, and no other field. */
function isSound(response: Record<string, unknown>): boolean {
  const { jsonrpc, result, error } = response;
  if (jsonrpc !== "2.0" || Object.keys(response).length !== 3) return false;
  if (error === undefined) return isRecord(result);
  return isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}

/** Replaces the responses of a body that are none. */
export function replaceMalformed(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(replaceMalformed);
  return toMalformedError(body) ?? body;
}

/** Limits the bytes of a chunk that is looked at: a malformed response is short, and a long one is parsed once. */
const longestChunk = 8192;

/**
 * Replaces an event that is a malformed response. It is looked for where a short chunk, which ends with an event, has nothing that
 * every other message has; so good messages are not parsed twice.
 */
export function replaceMalformedEvents(chunk: Uint8Array): Uint8Array {
  if (chunk.length > longestChunk) return chunk;
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  if (!bytes.includes('"jsonrpc"')) return chunk;
  // Some servers write an error of null beside their result.
  if (signs.some((sign) => bytes.includes(sign)) && !bytes.includes('"error":null')) return chunk;
  if (!bytes.subarray(-2).equals(blankLine) && !bytes.subarray(-4).equals(blankCrlfLine)) return chunk;
  const text = bytes.toString("utf8");
  const replaced = text.replace(/^data: ?(\{.*\})\r?$/gm, (line, data) => {
    const error = toMalformedError(tryParseJson(data));
    return error === undefined ? line : `data: ${JSON.stringify(error)}`;
  });
  return replaced === text ? chunk : Buffer.from(replaced);
}

/** Lists what a message has as servers write it: a request or notification its method, a response its result or its error. */
const signs = ['"method":', '"result":{', '"code":'];

const blankLine = Buffer.from("\n\n");
const blankCrlfLine = Buffer.from("\r\n\r\n");
