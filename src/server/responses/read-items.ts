import type { ClientToolCall } from "../../core/client-tools.ts";
import { toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { ModelMessage } from "../model-api/answer/answer-request.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import {
  isWebAddress,
  type PartReaders,
  readAddress,
  readFileData,
  readParts,
  type WireContent,
} from "../model-api/read/read-parts.ts";
import { readRole } from "../model-api/read/read-role.ts";
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
  const role = readRole(roles, toText(item.role), place);
  const { text, files } = readContent(item.content, `${place}.content`);
  if (role === "user") return { role, text, files };
  return role === "assistant" ? { role, text, calls: [] } : { role, text };
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

function readContent(content: unknown, place: string): WireContent {
  return readParts(content, place, partReaders);
}

function describeTypes(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  const allowed = [...Object.keys(readers), "item_reference", "reasoning"].join(", ");
  return { zh: `${shown} 不可用（允许：${allowed}）`, en: `${shown} (allowed: ${allowed})` };
}

const noImage = {
  zh: "没有可用的图片（允许：image_url 为 http、https 或 base64 的 data: 地址）",
  en: "there is no image (allowed: image_url with an http, https or data: URL in base64)",
};

const noUploads = {
  zh: "不支持 file_id，Duet 不保存上传的文件（允许：file_data 为 base64 或 base64 的 data: 地址，或 file_url 为 http 或 https 地址）",
  en: "file_id is not supported, because Duet keeps no uploaded files (allowed: file_data in base64 or a data: URL in base64, or file_url with an http or https URL)",
};

const noUploadedImages = {
  zh: "不支持 file_id，Duet 不保存上传的文件（允许：image_url 为 http、https 或 base64 的 data: 地址）",
  en: "file_id is not supported, because Duet keeps no uploaded files (allowed: image_url with an http, https or data: URL in base64)",
};

const noFile = {
  zh: "没有可用的文件（允许：file_data 为 base64 或 base64 的 data: 地址，或 file_url 为 http 或 https 地址）",
  en: "there is no file (allowed: file_data in base64 or a data: URL in base64, or file_url with an http or https URL)",
};

const partReaders: PartReaders = {
  texts: { input_text: "text", output_text: "text", text: "text", summary_text: "text", refusal: "refusal" },
  files: {
    input_image: ({ image_url, file_id }, place) =>
      readAddress(image_url, place, toText(file_id) === "" ? noImage : noUploadedImages),
    input_file({ file_data, file_url, file_id, filename }, place) {
      const missing = toText(file_id) === "" ? noFile : noUploads;
      return isWebAddress(toText(file_url).trim())
        ? readAddress(file_url, place, missing)
        : readFileData(file_data, filename, place, missing);
    },
  },
  allowed: "input_text, output_text, input_image, input_file",
};
