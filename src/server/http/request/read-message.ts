import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { jsonFaults, readJson } from "./read-json.ts";

/** Represents one well-formed JSON-RPC message. The SDK interprets it. */
export interface Message {
  body: Record<string, unknown>;
  /** Is undefined for a response. */
  method: string | undefined;
  /** Is undefined when the message is not a request; a notification has no id. */
  id: string | number | undefined;
}

/** Reads the one message that a POST carries; JSON-RPC 2.0, ids as MCP narrows them (no null, no fractions). */
export function readMessage(text: string): Message | HttpRefusal {
  const read = readJson(text);
  if ("fault" in read) return parseError(jsonFaults[read.fault]);
  const { value } = read;
  // Batches have left the protocol with its revision of 2025-06-18.
  if (Array.isArray(value))
    return createInvalidRefusal({ zh: "不支持批量消息", en: "message batches are not supported" });
  if (!isRecord(value)) return createInvalidRefusal({ zh: "消息不是对象", en: "the message is not an object" });
  const { jsonrpc, method, params } = value;
  const id = toMessageId(value.id);
  if (jsonrpc !== "2.0") return createInvalidRefusal({ zh: 'jsonrpc 须为 "2.0"', en: 'jsonrpc must be "2.0"' }, id);
  if (Object.hasOwn(value, "id") && id === undefined)
    return createInvalidRefusal({ zh: "id 须为字符串或整数", en: "id must be a string or a whole number" });
  if (params !== undefined && !isRecord(params))
    return createInvalidRefusal({ zh: "params 须为对象", en: "params must be an object" }, id);
  if (typeof method === "string") return { body: value, method, id };
  const isResponse = method === undefined && id !== undefined && ("result" in value || "error" in value);
  if (isResponse) return { body: value, method: undefined, id: undefined };
  return createInvalidRefusal(
    { zh: "消息既无 method 也无 result", en: "the message has neither method nor result" },
    id,
  );
}

function toMessageId(id: unknown): string | number | undefined {
  if (typeof id === "string") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

function createInvalidRefusal(text: Text, id?: string | number): HttpRefusal {
  return { status: 400, code: -32600, text, id };
}

function parseError(text: Text): HttpRefusal {
  return { status: 400, code: -32700, text };
}
