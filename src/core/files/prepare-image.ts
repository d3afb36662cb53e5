import { hash } from "node:crypto";
import type { ErrorCode } from "../../kit/errors.ts";
import { cleanImage } from "../../kit/images/clean-image.ts";
import { detectMediaType, isImageType } from "../../kit/images/image-type.ts";
import type { Text } from "../../kit/locale.ts";
import { formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { takeStart } from "../../kit/text/truncate.ts";
import { longestAttachedFile } from "../attachment.ts";
import type { FileRef, ImagePart, StoredFile } from "../model/messages.ts";

/** Limits one image, in bytes and in pixels. Vendors limit it further (`src/providers/vendors.ts`). */
export const longestImage = longestAttachedFile;
export const mostPixels = 100_000_000;

/** Holds bytes with the part of a message that refers to them. */
export interface PreparedFile {
  part: FileRef;
  bytes: Uint8Array;
}

export interface PreparedImage extends PreparedFile {
  part: ImagePart;
}

/** Says in one line why a file is not taken, and what would be. */
export interface FileRefusal {
  refusal: Text;
  /** Is the code of the error for which a document was not read. `overloaded` and `timeout` say nothing against the file itself. */
  code?: ErrorCode;
}

/**
 * Makes a part of a message of an image: its type by its bytes, its size in pixels, its hash, and its bytes without metadata.
 * Never throws.
 */
export function prepareImage(bytes: Uint8Array, name?: string): PreparedImage | FileRefusal {
  const type = detectMediaType(bytes);
  if (type === undefined || !isImageType(type)) return refuseFile(name, describeType(type));
  if (bytes.length > longestImage) return refuseFile(name, describeSize(bytes.length));
  const image = cleanImage(bytes);
  if (image === undefined) return refuseFile(name, damaged);
  const { width, height, mediaType } = image;
  if (width * height > mostPixels) return refuseFile(name, describePixels(width, height));
  return {
    part: { type: "image", image: toStoredFile(image.bytes, mediaType, name), width, height },
    bytes: image.bytes,
  };
}

export function toStoredFile(bytes: Uint8Array, mediaType: string, name: string | undefined): StoredFile {
  const shown = toFileName(name);
  return { hash: hash("sha256", bytes), mediaType, size: bytes.length, ...(shown !== "" && { name: shown }) };
}

/** Limits a file's name, in characters. */
const longestName = 100;

/** Returns the last part of a path, on one line and without the brackets that enclose placeholders. */
export function toFileName(name = ""): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  return takeStart(sanitizeLine(last).replace(/[[\]]/g, "_"), longestName);
}

/** Returns why a file is not taken, behind its name where it has one. */
export function refuseFile(name: string | undefined, why: Text): FileRefusal {
  const shown = toFileName(name);
  return { refusal: shown === "" ? why : { zh: `${shown}：${why.zh}`, en: `${shown}: ${why.en}` } };
}

/** Names the accepted types as people know them, such as `PNG, JPEG, GIF, WebP`. */
export const acceptedImages = "PNG, JPEG, GIF, WebP";

function describeType(type: string | undefined): Text {
  const accepted = { zh: `可用：${acceptedImages}`, en: `accepted: ${acceptedImages}` };
  return type === undefined
    ? { zh: `不是图片（${accepted.zh}）`, en: `this is no image (${accepted.en})` }
    : { zh: `不接受 ${type}（${accepted.zh}）`, en: `${type} is not accepted (${accepted.en})` };
}

function describeSize(bytes: number): Text {
  return {
    zh: `图片有 ${formatSize(bytes)}，超过上限 ${formatSize(longestImage)}`,
    en: `the image has ${formatSize(bytes)}; the limit is ${formatSize(longestImage)}`,
  };
}

function describePixels(width: number, height: number): Text {
  return {
    zh: `图片有 ${width}×${height} 像素，超过上限 ${mostPixels / 1e6} 百万像素`,
    en: `the image has ${width}×${height} pixels; the limit is ${mostPixels / 1e6} million`,
  };
}

const damaged: Text = { zh: "图片已损坏或不完整", en: "the image is damaged or incomplete" };
