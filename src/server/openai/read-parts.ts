import type { Attachment } from "../../core/attachment.ts";
import { decodeBase64, readDataUrl } from "../../kit/base64.ts";
import { isRecord, toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import type { WireFile } from "../model-api/model-request.ts";

/** Holds what a message says and brings. */
export interface WireContent {
  text: string;
  files: WireFile[];
}

/** Reads the content of a message: a text, or parts that are texts, images and files. Throws `HttpRefusalError` (400) for any other. */
export function readContent(content: unknown, place: string): WireContent {
  if (content === undefined || content === null) return { text: "", files: [] };
  if (typeof content === "string") return { text: content, files: [] };
  if (!Array.isArray(content)) throw fieldRefusedError(place, describeKinds(typeof content));
  const parts = content.map((part: unknown, index) => readPart(part, `${place}[${index}]`));
  return {
    text: parts.flatMap((part) => (typeof part === "string" ? [part] : [])).join("\n"),
    files: parts.filter((part) => typeof part !== "string"),
  };
}

/** Returns what a message says in words. */
export function readText(content: unknown, place: string): string {
  return readContent(content, place).text;
}

function readPart(part: unknown, place: string): string | WireFile {
  if (typeof part === "string") return part;
  const fields: Record<string, unknown> = isRecord(part) ? part : { type: typeof part };
  const { type, text, refusal } = fields;
  if (type === "text" && typeof text === "string") return text;
  if (type === "refusal" && typeof refusal === "string") return refusal;
  if (type === "image_url") return readImage(fields.image_url, place);
  if (type === "file") return readFile(fields.file, place);
  throw fieldRefusedError(place, describeKinds(String(type)));
}

function readImage(image: unknown, place: string): WireFile {
  const url = toText(isRecord(image) ? image.url : image).trim();
  if (/^https?:\/\//i.test(url)) return { place, url };
  const read = readDataUrl(url);
  if (read === undefined) throw fieldRefusedError(place, noImage);
  return { place, attachment: read };
}

/** A file that was uploaded before (`file_id`) is not here: Duet keeps none for its callers. */
function readFile(file: unknown, place: string): WireFile {
  const { file_data: data, filename } = isRecord(file) ? file : {};
  const written = toText(data);
  const read = /^data:/i.test(written) ? readDataUrl(written) : toAttachment(decodeBase64(written));
  if (read === undefined) throw fieldRefusedError(place, noFile);
  return { place, attachment: { ...read, name: toText(filename) || undefined } };
}

function toAttachment(bytes: Uint8Array | undefined): Attachment | undefined {
  return bytes && { bytes };
}

function describeKinds(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  return {
    zh: `内容类型 ${shown} 不可用（允许：text、image_url、file）`,
    en: `content type ${shown} is not supported (allowed: text, image_url, file)`,
  };
}

const noImage = {
  zh: "没有可用的图片（允许：image_url.url 为 http、https 或 base64 的 data: 地址）",
  en: "there is no image (allowed: image_url.url with an http, https or data: URL in base64)",
};

const noFile = {
  zh: "没有可用的文件（允许：file.file_data 为 base64 或 base64 的 data: 地址）",
  en: "there is no file (allowed: file.file_data in base64, or a data: URL in base64)",
};
