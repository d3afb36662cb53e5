import { crc32 } from "node:zlib";
import { type FoundPicture, mostPieces } from "./found-picture.ts";
import { readOrientation, turnSize, writeOrientation } from "./orientation.ts";

/** Lists the chunks that a decoder needs for the picture, its colours and its animation; every other one is dropped. */
const needed = new Set(
  "IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT".split(" "),
);

const signatureLength = 8;
/** Each chunk has its length and its type before its data, and a checksum behind it. */
const beside = 12;
/** PNG allows no larger size (https://www.w3.org/TR/png-3/#11IHDR). */
const largestSide = 0x7fffffff;

/** Reads the chunks of a PNG up to its end. */
export function cleanPng(file: Buffer): FoundPicture | undefined {
  const kept: Buffer[] = [file.subarray(0, signatureLength)];
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasData = false;
  for (let at = signatureLength; at + beside <= file.length && kept.length < mostPieces; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    const end = at + beside + length;
    if (end > file.length) return undefined;
    const data = file.subarray(at + 8, at + 8 + length);
    if (size === undefined) {
      if (type !== "IHDR" || length !== 13) return undefined;
      size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
      if (size.width > largestSide || size.height > largestSide) return undefined;
    }
    if (type === "eXIf") orientation = readOrientation(data);
    // The orientation stands before the data, where every reader looks for it.
    if (type === "IDAT" && !hasData && orientation !== 1) kept.push(toChunk("eXIf", writeOrientation(orientation)));
    hasData ||= type === "IDAT";
    if (needed.has(type)) kept.push(file.subarray(at, end));
    if (type === "IEND") return hasData ? { pieces: kept, ...turnSize(size, orientation) } : undefined;
    at = end;
  }
  return undefined;
}

function toChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), 4 + body.length);
  return chunk;
}
