import { showValue } from "../../core/tools/argument-feedback.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";

/** Represents one well-formed JSON-RPC message. The SDK interprets it. */
export interface Message {
  body: Record<string, unknown>;
  /** Is undefined for a response. */
  method: string | undefined;
  /** Is undefined when the message is not a request; a notification has no id. */
  id: string | number | undefined;
}

/** Says why a message is refused, in JSON-RPC's terms. */
export interface InvalidMessage {
  code: -32600 | -32602;
  text: Text;
  /** Is undefined when no id can be read. */
  id: string | number | undefined;
}

/** Checks the frame of a message: JSON-RPC 2.0, ids as MCP narrows them (no null, no fractions), and the `_meta` of its params. */
export function checkMessage(value: unknown): Message | InvalidMessage {
  // Batches have left the protocol with its revision of 2025-06-18.
  if (Array.isArray(value))
    return toInvalid({
      zh: `不支持批量消息：收到 ${value.length} 条（允许：每个请求一条消息）`,
      en: `message batches are not supported: received ${value.length} messages (allowed: one message per request)`,
    });
  if (!isRecord(value)) return toInvalid(describeInvalid("message", value, { zh: "JSON 对象", en: "a JSON object" }));
  const { jsonrpc, method, params } = value;
  const id = toMessageId(value.id);
  if (jsonrpc !== "2.0") return toInvalid(describeInvalid("jsonrpc", jsonrpc, { zh: '"2.0"', en: '"2.0"' }), id);
  if (Object.hasOwn(value, "id") && id === undefined)
    return toInvalid(
      describeInvalid("id", value.id, { zh: "字符串或整数", en: "a string or a whole number" }),
      // Whoever counts in fractions finds the answer by it.
      typeof value.id === "number" ? value.id : undefined,
    );
  if (params !== undefined && !isRecord(params))
    return toInvalid(describeInvalid("params", params, { zh: "JSON 对象", en: "a JSON object" }), id);
  if (typeof method === "string") return checkMeta(params?._meta, id) ?? { body: value, method, id };
  const isResponse = method === undefined && id !== undefined && ("result" in value || "error" in value);
  if (isResponse) return checkResponse(value) ?? { body: value, method: undefined, id: undefined };
  return toInvalid(
    method === undefined
      ? {
          zh: `消息既没有 method，也没有 result 或 error（现有字段：${Object.keys(value).slice(0, 10).map(showValue).join("、")}）`,
          en: `the message has neither method nor result nor error (its fields: ${Object.keys(value).slice(0, 10).map(showValue).join(", ")})`,
        }
      : describeInvalid("method", method, { zh: "字符串", en: "a string" }),
    id,
  );
}

/** Returns what is wrong with the `_meta` of a request or a notification. The SDK takes such a message for none at all. */
function checkMeta(meta: unknown, id: string | number | undefined): InvalidMessage | undefined {
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) {
    const text = describeInvalid("_meta", meta, { zh: "JSON 对象", en: "a JSON object" });
    return { code: -32602, text, id };
  }
  const { progressToken: token } = meta;
  if (token === undefined || toMessageId(token) !== undefined) return undefined;
  const allowed = { zh: "字符串或整数", en: "a string or a whole number" };
  return { code: -32602, text: describeInvalid("_meta.progressToken", token, allowed), id };
}

/** Returns what is wrong with a response: its result is an object, and its error has a code and a message. */
function checkResponse({ id, result, error }: Readonly<Record<string, unknown>>): InvalidMessage | undefined {
  const isFailure = result === undefined;
  const isSound = isFailure
    ? isRecord(error) && Number.isInteger(error.code) && typeof error.message === "string"
    : isRecord(result) && error === undefined;
  if (isSound) return undefined;
  const allowed = isFailure
    ? { zh: "含 code（整数）和 message 的对象", en: "an object with code, a whole number, and message" }
    : { zh: "JSON 对象，且没有 error", en: "a JSON object, without error beside it" };
  const text = isFailure ? describeInvalid("error", error, allowed) : describeInvalid("result", result, allowed);
  return toInvalid(text, toMessageId(id));
}

function toMessageId(id: unknown): string | number | undefined {
  if (typeof id === "string") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** Says that a field of a message is missing or not allowed, and what is. */
export function describeInvalid(name: string, value: unknown, allowed: Text): Text {
  if (value === undefined)
    return { zh: `缺少 ${name}（允许：${allowed.zh}）`, en: `${name} is missing (allowed: ${allowed.en})` };
  const shown = showValue(value);
  return {
    zh: `${name}: ${shown} 不可用（允许：${allowed.zh}）`,
    en: `${name}: ${shown} is not allowed (allowed: ${allowed.en})`,
  };
}

function toInvalid(text: Text, id?: string | number): InvalidMessage {
  return { code: -32600, text, id };
}
