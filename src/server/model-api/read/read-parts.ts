import { decodeBase64, readDataUrl } from "../../../kit/base64.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import type { WireFile } from "../answer/answer-request.ts";
import { fieldRefusedError } from "../field-refused-error.ts";

/** Holds what a message says and brings. */
export interface WireContent {
  text: string;
  files: WireFile[];
}

/** Reads the parts of one of OpenAI's wires. */
export interface PartReaders {
  /** Names the field that holds the words of a part, by the type of the part. */
  texts: Readonly<Record<string, string>>;
  /** Reads a part that brings a file, by the type of the part. `place` names the part in errors. */
  files: Readonly<Record<string, (part: Readonly<Record<string, unknown>>, place: string) => WireFile>>;
  /** Lists the types that clients are told of. */
  allowed: string;
}

/** Reads the content of a message: a text, or parts that are texts, images and files. Throws `HttpRefusalError` (400) for any other. */
export function readParts(content: unknown, place: string, readers: PartReaders): WireContent {
  if (content === undefined || content === null) return { text: "", files: [] };
  if (typeof content === "string") return { text: content, files: [] };
  if (!Array.isArray(content)) throw fieldRefusedError(place, describeTypes(typeof content, readers));
  const read = content.map((part: unknown, index) => readPart(part, `${place}[${index}]`, readers));
  return {
    text: read.filter((each) => typeof each === "string").join("\n"),
    files: read.filter((each) => typeof each !== "string"),
  };
}

function readPart(part: unknown, place: string, readers: PartReaders): string | WireFile {
  if (typeof part === "string") return part;
  const fields = isRecord(part) ? part : {};
  const type = isRecord(part) ? toText(part.type) : typeof part;
  const field = Object.hasOwn(readers.texts, type) ? readers.texts[type] : undefined;
  const text = field && fields[field];
  if (typeof text === "string") return text;
  const readFile = Object.hasOwn(readers.files, type) ? readers.files[type] : undefined;
  if (readFile !== undefined) return readFile(fields, place);
  throw fieldRefusedError(place, describeTypes(type, readers));
}

function describeTypes(type: string, { allowed }: PartReaders): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  return {
    zh: `内容类型 ${shown} 不可用（允许：${allowed}）`,
    en: `content type ${shown} is not supported (allowed: ${allowed})`,
  };
}

/** Reads an address: one of the web, whose file is fetched later, or a `data:` URL. Throws `HttpRefusalError` (400) with `refused`. */
export function readAddress(written: unknown, place: string, refused: Text): WireFile {
  const url = toText(written).trim();
  if (isWebAddress(url)) return { place, url };
  const attachment = readDataUrl(url);
  if (attachment === undefined) throw fieldRefusedError(place, refused);
  return { place, attachment };
}

/** Reads a file in base64 or as a `data:` URL. Throws `HttpRefusalError` (400) with `refused`. */
export function readFileData(data: unknown, name: unknown, place: string, refused: Text): WireFile {
  const written = toText(data);
  const bytes = decodeBase64(written);
  const read = /^data:/i.test(written) ? readDataUrl(written) : bytes && { bytes };
  if (read === undefined) throw fieldRefusedError(place, refused);
  return { place, attachment: { ...read, name: toText(name) || undefined } };
}

/** Returns true for an address that is fetched, rather than one that holds its bytes. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
