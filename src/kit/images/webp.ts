import { type FoundPicture, mostPieces } from "./found-picture.ts";
import { readOrientation, turnSize, writeOrientation } from "./orientation.ts";

/** Lists the chunks that a decoder needs; every other one is dropped. */
const needed = new Set(["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]);

const headerLength = 12;
/** These bits of the extended header announce EXIF and XMP. */
const exifFlag = 0x08;
const xmpFlag = 0x04;

/** Reads the chunks of a WebP. */
export function cleanWebp(file: Buffer): FoundPicture | undefined {
  if (file.length < headerLength + 8) return undefined;
  const end = Math.min(file.length, 8 + file.readUInt32LE(4));
  const kept: { type: string; data: Buffer }[] = [];
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasPicture = false;
  for (let at = headerLength; at + 8 <= end && kept.length < mostPieces; ) {
    const type = file.toString("latin1", at, at + 4);
    const length = file.readUInt32LE(at + 4);
    if (at + 8 + length > end) return undefined;
    const data = file.subarray(at + 8, at + 8 + length);
    size ??= readSize(type, data);
    hasPicture ||= type === "VP8 " || type === "VP8L" || type === "ANMF";
    if (type === "EXIF") orientation = readOrientation(removeMark(data));
    if (needed.has(type)) kept.push({ type, data });
    // A chunk of an odd length is followed by a byte without meaning.
    at += 8 + length + (length % 2);
  }
  if (size === undefined || !hasPicture || kept.length >= mostPieces) return undefined;
  const isExtended = kept[0]?.type === "VP8X";
  const turned = isExtended && orientation !== 1;
  const body = kept.map(({ type, data }) => toChunk(type, type === "VP8X" ? withFlags(data, turned) : data));
  if (turned) body.push(toChunk("EXIF", writeOrientation(orientation)));
  const header = Buffer.from(file.subarray(0, headerLength));
  header.writeUInt32LE(4 + body.reduce((sum, { length }) => sum + length, 0), 4);
  return { pieces: [header, ...body], ...turnSize(size, turned ? orientation : 1) };
}

/** Some writers put JPEG's mark before the structure. */
function removeMark(data: Buffer): Buffer {
  return data.toString("latin1", 0, 6) === "Exif\0\0" ? data.subarray(6) : data;
}

function readSize(type: string, data: Buffer): { width: number; height: number } | undefined {
  if (type === "VP8X" && data.length >= 10)
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  if (type === "VP8 " && data.length >= 10)
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  if (type !== "VP8L" || data.length < 5) return undefined;
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function withFlags(data: Buffer, hasExif: boolean): Buffer {
  const header = Buffer.from(data);
  header[0] = ((header[0] ?? 0) & ~(exifFlag | xmpFlag)) | (hasExif ? exifFlag : 0);
  return header;
}

function toChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(8 + data.length + (data.length % 2));
  chunk.write(type, 0, "latin1");
  chunk.writeUInt32LE(data.length, 4);
  data.copy(chunk, 8);
  return chunk;
}
