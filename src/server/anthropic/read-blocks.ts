import type { Attachment } from "../../core/attachment.ts";
import type { ClientToolCall } from "../../core/client-tools.ts";
import { decodeBase64 } from "../../kit/base64.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { ClientResult, WireFile } from "../model-api/answer/answer-request.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import { isWebAddress } from "../model-api/read/read-parts.ts";

/** Represents a block of a message, as far as its type is known. */
export interface WireBlock {
  type: string;
  [field: string]: unknown;
}

/** Holds what the blocks of a message say and bring. */
export interface ReadBlocks {
  text: string;
  files: WireFile[];
  calls: ClientToolCall[];
  results: ClientResult[];
}

/**
 * Reads the content of a message. Thoughts and what Anthropic's own tools have left there are for Anthropic's models alone, and are left
 * out. Throws `HttpRefusalError` (400), which names the block, for any other type.
 */
export function readBlocks(content: string | readonly WireBlock[], place: string): ReadBlocks {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const read: ReadBlocks = { text: "", files: [], calls: [], results: [] };
  const texts: string[] = [];
  for (const [index, block] of blocks.entries()) readBlock(block, `${place}[${index}]`, { ...read, texts });
  return { ...read, text: texts.join("\n") };
}

function readBlock(block: WireBlock, place: string, into: ReadBlocks & { texts: string[] }): void {
  const { type } = block;
  if (type === "text") into.texts.push(toText(block.text));
  else if (type === "image") into.files.push(readSource(block.source, place));
  else if (type === "document") readDocument(block, place, into);
  else if (type === "search_result") into.texts.push(readSearchResult(block, place));
  else if (type === "tool_use") into.calls.push(readCall(block, place));
  else if (type === "tool_result") into.results.push(readResult(block, place));
  else if (!isOfAnthropicAlone(type)) throw fieldRefusedError(place, describeTypes(type));
}

function isOfAnthropicAlone(type: string): boolean {
  return ["thinking", "redacted_thinking", "server_tool_use", "tool_reference", "container_upload"].includes(type)
    ? true
    : /^(?!tool_result$)[a-z_]+_tool_result$/.test(type);
}

function readCall({ id, name, input }: WireBlock, place: string): ClientToolCall {
  if (toText(id) === "" || toText(name) === "") throw fieldRefusedError(place, noCall);
  return { id: toText(id), name: toText(name), argumentsText: JSON.stringify(input ?? {}) };
}

function readResult({ tool_use_id: id, content, is_error: isError }: WireBlock, place: string): ClientResult {
  if (toText(id) === "") throw fieldRefusedError(`${place}.tool_use_id`, noId);
  const given = typeof content === "string" || isBlockList(content) ? content : "";
  const { text, files } = readBlocks(given, `${place}.content`);
  return { callId: toText(id), text, files, isError: isError === true };
}

function isBlockList(content: unknown): content is WireBlock[] {
  return Array.isArray(content) && content.every((block) => isRecord(block) && typeof block.type === "string");
}

function readDocument(block: WireBlock, place: string, into: ReadBlocks & { texts: string[] }): void {
  const source = isRecord(block.source) ? block.source : {};
  const title = toText(block.title);
  if (source.type === "text") {
    into.texts.push([title, toText(source.data)].filter(Boolean).join("\n"));
  } else if (source.type === "content") {
    const given = typeof source.content === "string" || isBlockList(source.content) ? source.content : "";
    const { text, files } = readBlocks(given, `${place}.source.content`);
    into.texts.push([title, text].filter(Boolean).join("\n"));
    into.files.push(...files);
  } else {
    const file = readSource(source, place, documentSources);
    into.files.push(
      "attachment" in file && title ? { ...file, attachment: { ...file.attachment, name: title } } : file,
    );
  }
}

function readSearchResult(block: WireBlock, place: string): string {
  const given = isBlockList(block.content) ? block.content : "";
  const { text } = readBlocks(given, `${place}.content`);
  return [toText(block.title), toText(block.source), text].filter(Boolean).join("\n");
}

/** A file that was uploaded before (`file_id`) is not here: Duet keeps none for its callers. */
function readSource(source: unknown, place: string, allowed = fileSources): WireFile {
  const { type, url, data }: Record<string, unknown> = isRecord(source) ? source : {};
  if (type === "url" && isWebAddress(toText(url))) return { place, url: toText(url) };
  const bytes = type === "base64" ? decodeBase64(toText(data)) : undefined;
  if (bytes === undefined) {
    const why = type === "file" ? noUploads : noContent;
    throw fieldRefusedError(`${place}.source`, { zh: why.zh + allowed.zh, en: `${why.en} ${allowed.en}` });
  }
  const attachment: Attachment = { bytes };
  return { place, attachment };
}

const noContent: Text = { zh: "没有可用的内容", en: "there is nothing to read" };

const noUploads: Text = {
  zh: "不支持 file_id，Duet 不保存上传的文件",
  en: "file_id is not supported, because Duet keeps no uploaded files",
};

const fileSources: Text = {
  zh: "（允许：type 为 base64 且含 data，或 type 为 url 且为 http、https 地址）",
  en: "(allowed: the type base64 with data, or the type url with an http or https URL)",
};

const documentSources: Text = {
  zh: "（允许：type 为 base64 且含 data，为 url 且为 http、https 地址，为 text 且含 data，或为 content 且含 content）",
  en: "(allowed: the type base64 with data, url with an http or https URL, text with data, or content with content)",
};

const noCall: Text = {
  zh: "tool_use 缺少 id 或 name（允许：工具调用的 id、name 和 input）",
  en: "the tool_use has no id or no name (allowed: the id, name and input of a call)",
};

const noId: Text = {
  zh: "缺少（允许：tool_use 的 id）",
  en: "is missing (allowed: the id of a tool_use)",
};

function describeTypes(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  const allowed = "text, image, document, search_result, tool_use, tool_result, thinking";
  return { zh: `类型 ${shown} 不可用（允许：${allowed}）`, en: `type ${shown} is not supported (allowed: ${allowed})` };
}
