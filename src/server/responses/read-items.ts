import type { Attachment } from "../../core/attachment.ts";
import type { ClientToolCall } from "../../core/client-tools.ts";
import { decodeBase64, readDataUrl } from "../../kit/base64.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import type { ModelMessage, WireFile } from "../model-api/model-request.ts";
import { toCustomArguments, toToolName } from "./client-tools.ts";

/** Represents an item of an input or an output, as a wire or a store has it. */
export type WireItem = Readonly<Record<string, unknown>>;

/**
 * Reads the items of an input. Items that only say what a model thought or did by itself are left out. Throws `HttpRefusalError`
 * (400), which names the item, for one that cannot be read.
 */
export function readItems(items: readonly WireItem[], field: string): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const [index, item] of items.entries()) {
    const place = `${field}[${index}]`;
    const type = toText(item.type) || (item.role === undefined ? "" : "message");
    const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
    if (read !== undefined) addMessage(messages, read(item, place));
    else if (!isOwnWork(type)) throw fieldRefusedError(`${place}.type`, describeTypes(type));
  }
  return messages;
}

const readers: Readonly<Record<string, (item: WireItem, place: string) => ModelMessage>> = {
  message: readMessage,
  function_call: (item) => toCallMessage(item, toText(item.arguments)),
  custom_tool_call: (item) => toCallMessage(item, toCustomArguments(toText(item.input))),
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
};

/**
 * Returns true for what a model thought, for calls of a vendor's own tools with their results, and for what a program says of its
 * tools: these stand in histories that began with another model.
 */
function isOwnWork(type: string): boolean {
  return (
    /^(?:reasoning|compaction|compaction_trigger|configuration_update|additional_tools|program)$/.test(type) ||
    /_call(?:_output)?$|^mcp_|^tool_search|^program_/.test(type)
  );
}

/** Joins what an assistant says and calls one after the other into one message, since its calls were made at once. */
function addMessage(messages: ModelMessage[], message: ModelMessage): void {
  const last = messages.at(-1);
  if (message.role !== "assistant" || last?.role !== "assistant") {
    messages.push(message);
    return;
  }
  const text = [last.text, message.text].filter((each) => each !== "").join("\n\n");
  messages.splice(-1, 1, { role: "assistant", text, calls: [...last.calls, ...message.calls] });
}

type MessageRole = "instruction" | "user" | "assistant";

const roles: Readonly<Record<string, MessageRole>> = {
  system: "instruction",
  developer: "instruction",
  user: "user",
  assistant: "assistant",
};

function readMessage(item: WireItem, place: string): ModelMessage {
  const role = readRole(toText(item.role), place);
  const { text, files } = readContent(item.content, `${place}.content`);
  if (role === "user") return { role, text, files };
  return role === "assistant" ? { role, text, calls: [] } : { role, text };
}

function readRole(written: string, place: string): MessageRole {
  const role = Object.hasOwn(roles, written) ? roles[written] : undefined;
  if (role !== undefined) return role;
  const shown = JSON.stringify(written.slice(0, 50));
  const allowed = Object.keys(roles).join(", ");
  throw fieldRefusedError(`${place}.role`, {
    zh: `${shown} 不可用（允许：${allowed}）`,
    en: `${shown} (allowed: ${allowed})`,
  });
}

function toCallMessage({ call_id: id, name, namespace }: WireItem, argumentsText: string): ModelMessage {
  const called = toToolName(toText(name), toText(namespace));
  const call: ClientToolCall = { id: toText(id), name: called, argumentsText };
  return { role: "assistant", text: "", calls: [call] };
}

function readOutput(item: WireItem, place: string): ModelMessage {
  const callId = toText(item.call_id);
  if (callId === "") throw fieldRefusedError(`${place}.call_id`, noCallId);
  const { text, files } = readContent(item.output, `${place}.output`);
  return { role: "tool", result: { callId, text, files, isError: item.status === "incomplete" } };
}

const noCallId: Text = {
  zh: "缺少（允许：function_call 的 call_id）",
  en: "is missing (allowed: the call_id of a function_call)",
};

interface WireContent {
  text: string;
  files: WireFile[];
}

function readContent(content: unknown, place: string): WireContent {
  if (content === undefined || content === null) return { text: "", files: [] };
  if (typeof content === "string") return { text: content, files: [] };
  if (!Array.isArray(content)) throw fieldRefusedError(place, describeParts(typeof content));
  const parts = content.map((part: unknown, index) => readPart(part, `${place}[${index}]`));
  return {
    text: parts.flatMap((part) => (typeof part === "string" ? [part] : [])).join("\n"),
    files: parts.filter((part) => typeof part !== "string"),
  };
}

const textParts: Readonly<Record<string, "text" | "refusal">> = {
  input_text: "text",
  output_text: "text",
  text: "text",
  summary_text: "text",
  refusal: "refusal",
};

function readPart(part: unknown, place: string): string | WireFile {
  const fields: Record<string, unknown> = isRecord(part) ? part : {};
  const type = isRecord(part) ? toText(part.type) : typeof part;
  const field = Object.hasOwn(textParts, type) ? textParts[type] : undefined;
  const text = field && fields[field];
  if (typeof text === "string") return text;
  if (type === "input_image") return readImage(fields, place);
  if (type === "input_file") return readFile(fields, place);
  throw fieldRefusedError(place, describeParts(type));
}

function readImage({ image_url: image }: Record<string, unknown>, place: string): WireFile {
  const url = toText(image).trim();
  if (isWebAddress(url)) return { place, url };
  const attachment = readDataUrl(url);
  if (attachment === undefined) throw fieldRefusedError(place, noImage);
  return { place, attachment };
}

/** A file that was uploaded before (`file_id`) is not here: Duet keeps none for its callers. */
function readFile({ file_data, file_url, filename }: Record<string, unknown>, place: string): WireFile {
  const url = toText(file_url).trim();
  if (isWebAddress(url)) return { place, url };
  const written = toText(file_data);
  const read = /^data:/i.test(written) ? readDataUrl(written) : toAttachment(decodeBase64(written));
  if (read === undefined) throw fieldRefusedError(place, noFile);
  return { place, attachment: { ...read, name: toText(filename) || undefined } };
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

function toAttachment(bytes: Uint8Array | undefined): Attachment | undefined {
  return bytes && { bytes };
}

function describeTypes(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  const allowed = [...Object.keys(readers), "item_reference", "reasoning"].join(", ");
  return { zh: `${shown} 不可用（允许：${allowed}）`, en: `${shown} (allowed: ${allowed})` };
}

function describeParts(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  const allowed = "input_text, output_text, input_image, input_file";
  return {
    zh: `内容类型 ${shown} 不可用（允许：${allowed}）`,
    en: `content type ${shown} is not supported (allowed: ${allowed})`,
  };
}

const noImage = {
  zh: "没有可用的图片（允许：image_url 为 http、https 或 base64 的 data: 地址）",
  en: "there is no image (allowed: image_url with an http, https or data: URL in base64)",
};

const noFile = {
  zh: "没有可用的文件（允许：file_data 为 base64 或 base64 的 data: 地址，或 file_url 为 http 或 https 地址）",
  en: "there is no file (allowed: file_data in base64 or a data: URL in base64, or file_url with an http or https URL)",
};
