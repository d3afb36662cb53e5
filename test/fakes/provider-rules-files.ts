import { cleanImage } from "../../src/kit/images/clean-image.ts";
import { detectMediaType } from "../../src/kit/images/image-type.ts";
import type { JournalEntry } from "./provider.ts";
import { invalid, listOf, type Refusal, recordOf } from "./provider-rules.ts";

/** Models whose names say that they read text alone. */
export const blind = /blind|gpt-3\.5|deepseek-chat|text-only/;

/** What vendors refuse about the images and documents of a request, in their words. */
export function checkFiles(entry: JournalEntry): Refusal | undefined {
  return checks[entry.wire](entry);
}

const checks: Record<JournalEntry["wire"], (entry: JournalEntry) => Refusal | undefined> = {
  "openai-chat": ({ body, model }) => checkChat(listOf(body.messages), model),
  "openai-responses": ({ body, model }) => checkResponses(listOf(body.input), model),
  "anthropic-messages": ({ body, model }) => checkMessages(listOf(body.messages), model),
};

function checkChat(messages: Record<string, unknown>[], model: string): Refusal | undefined {
  for (const [index, message] of messages.entries()) {
    if (!Array.isArray(message.content)) continue;
    if (message.content.length === 0) return invalid(`Invalid 'messages[${index}].content': empty array.`);
    for (const [position, part] of listOf(message.content).entries()) {
      const place = `messages[${index}].content[${position}]`;
      if (part.type === "text") {
        if (typeof part.text !== "string") return invalid(`Invalid type for '${place}.text': expected a string.`);
        continue;
      }
      if (message.role !== "user")
        return invalid(`Invalid value: '${part.type}'. Supported values are: 'text'. (${place}.type)`);
      if (blind.test(model)) return invalid("Invalid content type. image_url is only supported by certain models.");
      const refusal =
        part.type === "image_url"
          ? checkImageUrl(recordOf(part.image_url).url, `${place}.image_url`)
          : part.type === "file"
            ? checkDocument(recordOf(part.file).file_data, recordOf(part.file).filename, `${place}.file`)
            : invalid(
                `Invalid value: '${part.type}'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.`,
              );
      if (refusal) return refusal;
    }
  }
  return undefined;
}

function checkResponses(items: Record<string, unknown>[], model: string): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const [parts, name] = item.type === "function_call_output" ? [item.output, "output"] : [item.content, "content"];
    if (!Array.isArray(parts) || item.type === "reasoning" || item.role === "assistant") continue;
    for (const [position, part] of listOf(parts).entries()) {
      const place = `input[${index}].${name}[${position}]`;
      if (part.type === "input_text") {
        if (typeof part.text !== "string") return invalid(`Invalid type for '${place}.text': expected a string.`);
        continue;
      }
      if (blind.test(model)) return invalid("Image input is not supported with this model.");
      const refusal =
        part.type === "input_image"
          ? checkImageUrl(part.image_url, `${place}.image_url`)
          : part.type === "input_file"
            ? checkDocument(part.file_data, part.filename, place)
            : invalid(
                `Invalid value: '${part.type}'. Supported values are: 'input_text', 'input_image', and 'input_file'. (${place}.type)`,
              );
      if (refusal) return refusal;
    }
  }
  return undefined;
}

function checkImageUrl(url: unknown, place: string): Refusal | undefined {
  const [, type = "", data = ""] = /^data:([^;,]+);base64,(.*)$/s.exec(String(url)) ?? [];
  if (data === "") return invalid(`Invalid '${place}'. Expected a base64-encoded data URL with an image MIME type.`);
  return checkImage(type, data) ?? undefined;
}

function checkDocument(data: unknown, name: unknown, place: string): Refusal | undefined {
  if (typeof name !== "string" || !name.endsWith(".pdf")) return invalid(`Invalid '${place}.filename'.`);
  const [, base64 = ""] = /^data:application\/pdf;base64,(.*)$/s.exec(String(data)) ?? [];
  if (detectMediaType(Buffer.from(base64, "base64")) !== "application/pdf")
    return invalid(
      `Invalid '${place}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type.`,
    );
  return undefined;
}

function checkImage(type: string, base64: string): Refusal | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return invalid("Invalid base64 image_url.");
  const bytes = Buffer.from(base64, "base64");
  if (detectMediaType(bytes) !== type || cleanImage(bytes) === undefined)
    return invalid(
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    );
  return undefined;
}

function checkMessages(messages: Record<string, unknown>[], model: string): Refusal | undefined {
  for (const [index, message] of messages.entries()) {
    for (const [position, block] of listOf(message.content).entries()) {
      const place = `messages.${index}.content.${position}`;
      const inner = block.type === "tool_result" && Array.isArray(block.content) ? listOf(block.content) : [block];
      const isResult = inner[0] !== block;
      if (isResult && inner.length === 0)
        return invalid(`${place}.tool_result.content: at least one block is required`);
      for (const each of inner) {
        if (each.type === "image" || each.type === "document") {
          if (message.role !== "user")
            return invalid(`${place}: \`${each.type}\` blocks are not permitted in assistant messages`);
          if (blind.test(model)) return invalid(`${place}: this model does not support image input`);
          const refusal = checkSource(each, place);
          if (refusal) return refusal;
        } else if (isResult && each.type !== "text") {
          return invalid(
            `${place}.tool_result.content.0: Input tag '${each.type}' found using 'type' does not match any of the expected tags`,
          );
        }
      }
    }
  }
  return undefined;
}

function checkSource(block: Record<string, unknown>, place: string): Refusal | undefined {
  const source = recordOf(block.source);
  const data = String(source.data);
  if (source.type !== "base64") return invalid(`${place}.${block.type}.source.type: Input should be 'base64'`);
  if (data.startsWith("data:")) return invalid(`${place}.${block.type}.source.base64.data: Invalid base64 data`);
  if (block.type === "document")
    return source.media_type === "application/pdf" && detectMediaType(Buffer.from(data, "base64")) === "application/pdf"
      ? undefined
      : invalid(`${place}.document.source.base64.data: The PDF specified was not valid.`);
  if (data.length > 5 * 1024 * 1024)
    return invalid(`${place}.image.source.base64: image exceeds 5 MB maximum: ${data.length} bytes > 5242880 bytes`);
  if (!/^image\/(jpeg|png|gif|webp)$/.test(String(source.media_type)))
    return invalid(
      `${place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  return (
    checkImage(String(source.media_type), data) && invalid(`${place}.image.source.base64.data: Could not process image`)
  );
}
