import { RELATED_TASK_META_KEY } from "@modelcontextprotocol/server";
import { type Path, renderPath } from "../../config/sources/setting-path.ts";
import { describeAllowed } from "../../core/schemas/describe-schema.ts";
import { showName, showValue } from "../../core/tools/argument-feedback.ts";
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

/**
 * Checks the frame of a message, as strictly as the SDK, which does not say what is wrong: JSON-RPC 2.0 without further fields, ids as
 * MCP narrows them (no null, no fractions), and the `_meta` of its params or result.
 */
export function checkMessage(value: unknown): Message | InvalidMessage {
  // Batches were part of the protocol in its revision of 2025-03-26 alone, and are handled for it only over stdio (unreadable-lines.ts).
  if (Array.isArray(value))
    return toInvalid({
      zh: `不支持批量消息：收到 ${value.length} 条（允许：每个请求一条消息）`,
      en: `message batches are not supported: received ${value.length} messages (allowed: one message per request)`,
    });
  if (!isRecord(value)) return toInvalid(describeWrong(["message"], value, "object"));
  const { jsonrpc, method, params } = value;
  const id = toMessageId(value.id);
  if (jsonrpc !== "2.0") return toInvalid(describeInvalid("jsonrpc", jsonrpc, { zh: '"2.0"', en: '"2.0"' }), id);
  if (Object.hasOwn(value, "id") && id === undefined)
    // Whoever counts in fractions finds the answer by it.
    return toInvalid(describeWrong(["id"], value.id, idTypes), typeof value.id === "number" ? value.id : undefined);
  if (params !== undefined && !isRecord(params)) return toInvalid(describeWrong(["params"], params, "object"), id);
  if (method === undefined) return checkResponse(value, id) ?? { body: value, method, id: undefined };
  if (typeof method !== "string") return toInvalid(describeWrong(["method"], method, "string"), id);
  return checkFields(value, requestFields, id) ?? checkMeta(params?._meta, id) ?? { body: value, method, id };
}

/** Returns what is wrong with a message that is neither a request nor a notification. */
function checkResponse(value: Readonly<Record<string, unknown>>, id: MessageId): InvalidMessage | undefined {
  const { result, error } = value;
  if (!("result" in value || "error" in value)) {
    const names = Object.keys(value).slice(0, 10).map(showValue);
    return toInvalid(
      {
        zh: `消息既没有 method，也没有 result 或 error（现有字段：${names.join("、")}）`,
        en: `the message has neither method nor result nor error (its fields: ${names.join(", ")})`,
      },
      id,
    );
  }
  if (id === undefined) return toInvalid(describeWrong(["id"], undefined, idTypes));
  const text = "result" in value ? findWrongResult(result) : findWrongError(error);
  if (text !== undefined) return toInvalid(text, id);
  return checkFields(value, "result" in value ? resultFields : errorFields, id);
}

function findWrongResult(result: unknown): Text | undefined {
  if (!isRecord(result)) return describeWrong(["result"], result, "object");
  const { _meta: meta } = result;
  return meta === undefined || isRecord(meta) ? undefined : describeWrong(["result", "_meta"], meta, "object");
}

function findWrongError(error: unknown): Text | undefined {
  if (!isRecord(error)) return describeWrong(["error"], error, "object");
  const { code, message } = error;
  if (!Number.isSafeInteger(code)) return describeWrong(["error", "code"], code, "integer");
  return typeof message === "string" ? undefined : describeWrong(["error", "message"], message, "string");
}

const requestFields = ["jsonrpc", "id", "method", "params"];
const resultFields = ["jsonrpc", "id", "result"];
const errorFields = ["jsonrpc", "id", "error"];

/** Returns which field a message of this kind may not have. */
function checkFields(
  message: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  id: MessageId,
): InvalidMessage | undefined {
  const field = Object.keys(message).find((key) => !allowed.includes(key));
  if (field === undefined) return undefined;
  const list = allowed.join(", ");
  return toInvalid(describeInvalid(showName(field), message[field], { zh: list, en: list }), id);
}

/** Returns what is wrong with the `_meta` of a request or a notification. */
function checkMeta(meta: unknown, id: MessageId): InvalidMessage | undefined {
  if (meta === undefined) return undefined;
  const text = isRecord(meta) ? findWrongMeta(meta) : describeWrong(["_meta"], meta, "object");
  return text && { code: -32602, text, id };
}

function findWrongMeta({ progressToken, [RELATED_TASK_META_KEY]: task }: Record<string, unknown>): Text | undefined {
  if (progressToken !== undefined && toMessageId(progressToken) === undefined)
    return describeWrong(["_meta", "progressToken"], progressToken, idTypes);
  const path = ["_meta", RELATED_TASK_META_KEY];
  if (task === undefined) return undefined;
  if (!isRecord(task)) return describeWrong(path, task, "object");
  return typeof task.taskId === "string" ? undefined : describeWrong([...path, "taskId"], task.taskId, "string");
}

type MessageId = string | number | undefined;

const idTypes = ["string", "integer"];

export function toMessageId(id: unknown): MessageId {
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

/** Says the same of a value that is not of one of these types of JSON Schema. */
function describeWrong(path: Path, value: unknown, type: string | readonly string[]): Text {
  const name = renderPath(path);
  return describeInvalid(name, value, describeAllowed({ type }, name));
}

function toInvalid(text: Text, id?: string | number): InvalidMessage {
  return { code: -32600, text, id };
}
