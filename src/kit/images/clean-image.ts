import type { FoundPicture } from "./found-picture.ts";
import { cleanGif } from "./gif.ts";
import { detectMediaType, type ImageType, isImageType } from "./image-type.ts";
import { cleanJpeg } from "./jpeg.ts";
import { cleanPng } from "./png.ts";
import { cleanWebp } from "./webp.ts";

/** Holds an image without what is not part of its picture. */
export interface CleanImage {
  mediaType: ImageType;
  bytes: Uint8Array;
  /** Is the size in pixels, as a viewer shows the image. */
  width: number;
  height: number;
}

/**
 * Cuts what is not part of the picture out of an image: EXIF with its places and devices, XMP, comments, texts, thumbnails, and
 * whatever follows the image in the file. Colour profiles and the loop of an animation stay, and of EXIF the orientation alone.
 * Nothing is decompressed, so that no file can take more time or memory than its length. Returns undefined for what is no image
 * of these types, and for one whose parts do not fit together.
 */
export function cleanImage(bytes: Uint8Array): CleanImage | undefined {
  const mediaType = detectMediaType(bytes);
  if (mediaType === undefined || !isImageType(mediaType)) return undefined;
  const found = cleaners[mediaType](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (found === undefined || found.width === 0 || found.height === 0) return undefined;
  return { mediaType, bytes: Buffer.concat(found.pieces), width: found.width, height: found.height };
}

const cleaners: Record<ImageType, (file: Buffer) => FoundPicture | undefined> = {
  "image/png": cleanPng,
  "image/jpeg": cleanJpeg,
  "image/gif": cleanGif,
  "image/webp": cleanWebp,
};
