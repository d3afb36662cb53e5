import { decodeBase64 } from "../../kit/base64.ts";
import { detectMediaType } from "../../kit/images/image-type.ts";
import { isRecord, toText } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";

/** Limits the images that are taken from one result, and the letters of each in base64. */
export const mostResultImages = 10;
const longestBase64 = 28_000_000;
/** Limits how deep structured content is searched. */
const deepest = 20;

/**
 * Returns the bytes of the images in a tool's result, in their order and each once: of image blocks, of embedded resources, and of
 * copies in the structured content. What is no base64 is left out.
 */
export function readImages({ content, structuredContent }: Readonly<Record<string, unknown>>): Uint8Array[] {
  const found = new Map<string, Uint8Array>();
  const add = (data: unknown): void => {
    if (typeof data !== "string" || found.size >= mostResultImages || data.length > longestBase64) return;
    const bytes = found.has(data) ? undefined : decodeBase64(data);
    if (bytes) found.set(data, bytes);
  };
  for (const block of Array.isArray(content) ? content : []) {
    if (!isRecord(block)) continue;
    if (block.type === "image") add(block.data);
    if (block.type === "resource" && isRecord(block.resource) && isImageBlob(block.resource)) add(block.resource.blob);
  }
  visitMedia(structuredContent, ({ data, mediaType }) => {
    if (mediaType.startsWith("image/")) add(data);
  });
  return [...found.values()];
}

function isImageBlob({ mimeType, blob }: Record<string, unknown>): boolean {
  return toText(mimeType).startsWith("image/") || findMediaType(toText(blob))?.startsWith("image/") === true;
}

interface Media {
  data: string;
  mediaType: string;
}

/** Shorter texts are no media that could disturb a prompt. */
const shortestMedia = 64;

/** Calls `visit` for each text inside the value that is media in base64. */
function visitMedia(value: unknown, visit: (media: Media) => void, depth = 0): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) {
    for (const item of value) visitMedia(item, visit, depth + 1);
    return;
  }
  if (!isRecord(value)) return;
  // `Object.values` takes twice as long where an object has many keys.
  for (const key of Object.keys(value)) {
    const inner = value[key];
    const media = typeof inner === "string" ? toMedia(inner, value) : undefined;
    if (media) visit(media);
    else visitMedia(inner, visit, depth + 1);
  }
}

/** A text is media when it shows it itself, or when the object that holds it names a media type. */
function toMedia(text: string, { mimeType, mediaType, media_type }: Record<string, unknown>): Media | undefined {
  if (text.length < shortestMedia || !isPlainBase64(text)) return undefined;
  const named = [mimeType, mediaType, media_type]
    .map(toText)
    .find((type) => /^(image|audio|video|application)\//.test(type));
  const type = findMediaType(text) ?? (named?.startsWith("application/json") ? undefined : named);
  return type === undefined ? undefined : { data: text, mediaType: type };
}

function findMediaType(base64: string): string | undefined {
  return detectMediaType(Buffer.from(base64.slice(0, 64), "base64"));
}

/** Takes neither line breaks nor the form for URLs: prose could pass for these. */
function isPlainBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/**
 * Returns a replacer for `JSON.stringify` that writes a name and a size in place of each text that is media in base64. To make a
 * changed copy takes four times as long where an object has many keys.
 */
export function createMediaReplacer(locale: Locale): (this: unknown, key: string, value: unknown) => unknown {
  return function replaceMedia(_key, value) {
    const media = typeof value === "string" && isRecord(this) ? toMedia(value, this) : undefined;
    return media ? describeMedia(media.mediaType, media.data, locale) : value;
  };
}

/** Matches a data URL, and base64 that begins as an image or a PDF does. */
const mediaText =
  /data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)?;base64,[A-Za-z0-9+/=]{64,}|(?<![A-Za-z0-9+/])(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0)[A-Za-z0-9+/]{64,}={0,2}/g;

/** Returns a text in which a name and a size stand for media in base64: it would fill a prompt and tell a model nothing. */
export function replaceMediaText(text: string, locale: Locale): string {
  return text.replace(mediaText, (found) => {
    const [, named, data = found] = /^data:([^;,]+)[^,]*,(.*)$/s.exec(found) ?? [];
    const type = named ?? findMediaType(data);
    return type === undefined ? found : describeMedia(type, data, locale);
  });
}

/** Names media by its type and its size, such as `[image: image/png, 4,035 bytes]`. */
export function describeMedia(mediaType: string, base64: string, locale: Locale): string {
  const bytes = countBytes(base64);
  const size = say(locale, { zh: `${bytes} 字节`, en: formatCount(bytes, "byte") });
  const label = mediaType.startsWith("image/")
    ? say(locale, { zh: "图片", en: "image" })
    : say(locale, { zh: "数据", en: "data" });
  return `[${label}: ${mediaType}, ${size}]`;
}

export function countBytes(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
