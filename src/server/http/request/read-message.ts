import { showValue } from "../../../core/tools/argument-feedback.ts";
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
    return createInvalidRefusal({
      zh: `不支持批量消息：收到 ${value.length} 条（允许：每个请求一条消息）`,
      en: `message batches are not supported: received ${value.length} messages (allowed: one message per request)`,
    });
  if (!isRecord(value))
    return createInvalidRefusal(describeInvalid("message", value, { zh: "JSON 对象", en: "a JSON object" }));
  const { jsonrpc, method, params } = value;
  const id = toMessageId(value.id);
  if (jsonrpc !== "2.0")
    return createInvalidRefusal(describeInvalid("jsonrpc", jsonrpc, { zh: '"2.0"', en: '"2.0"' }), id);
  if (Object.hasOwn(value, "id") && id === undefined)
    return createInvalidRefusal(
      describeInvalid("id", value.id, { zh: "字符串或整数", en: "a string or a whole number" }),
    );
  if (params !== undefined && !isRecord(params))
    return createInvalidRefusal(describeInvalid("params", params, { zh: "JSON 对象", en: "a JSON object" }), id);
  if (typeof method === "string") return { body: value, method, id };
  const isResponse = method === undefined && id !== undefined && ("result" in value || "error" in value);
  if (isResponse) return checkResponse(value) ?? { body: value, method: undefined, id: undefined };
  return createInvalidRefusal(
    method === undefined
      ? {
          zh: `消息既没有 method，也没有 result 或 error（现有字段：${Object.keys(value).slice(0, 10).map(showValue).join("、")}）`,
          en: `the message has neither method nor result nor error (its fields: ${Object.keys(value).slice(0, 10).map(showValue).join(", ")})`,
        }
      : describeInvalid("method", method, { zh: "字符串", en: "a string" }),
    id,
  );
}

/** Returns what is wrong with a response: its result is an object, and its error has a code and a message. */
function checkResponse({ id, result, error }: Readonly<Record<string, unknown>>): HttpRefusal | undefined {
  const isFailure = result === undefined;
  const isSound = isFailure
    ? isRecord(error) && Number.isInteger(error.code) && typeof error.message === "string"
    : isRecord(result) && error === undefined;
  if (isSound) return undefined;
  const allowed = isFailure
    ? { zh: "含 code（整数）和 message 的对象", en: "an object with code, a whole number, and message" }
    : { zh: "JSON 对象，且没有 error", en: "a JSON object, without error beside it" };
  const text = isFailure ? describeInvalid("error", error, allowed) : describeInvalid("result", result, allowed);
  return createInvalidRefusal(text, toMessageId(id));
}

function toMessageId(id: unknown): string | number | undefined {
  if (typeof id === "string") return id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

function describeInvalid(name: string, value: unknown, allowed: Text): Text {
  if (value === undefined)
    return { zh: `缺少 ${name}（允许：${allowed.zh}）`, en: `${name} is missing (allowed: ${allowed.en})` };
  const shown = showValue(value);
  return {
    zh: `${name}: ${shown} 不可用（允许：${allowed.zh}）`,
    en: `${name}: ${shown} is not allowed (allowed: ${allowed.en})`,
  };
}

function createInvalidRefusal(text: Text, id?: string | number): HttpRefusal {
  return { status: 400, code: -32600, text, id };
}

function parseError(text: Text): HttpRefusal {
  return { status: 400, code: -32700, text };
}
