import { type FoundPicture, mostPieces } from "./found-picture.ts";
import { readOrientation, turnSize, writeOrientation } from "./orientation.ts";

const exifMark = "Exif\0\0";

/** Reads the segments of a JPEG, and keeps those that a decoder needs. */
export function cleanJpeg(file: Buffer): FoundPicture | undefined {
  const kept: Buffer[] = [];
  let size: { width: number; height: number } | undefined;
  let orientation = 1;
  let hasScan = false;
  let at = 2;
  while (kept.length < mostPieces) {
    at = skipFill(file, at);
    const marker = file[at];
    if (marker === undefined || marker === endMarker) break;
    const length = at + 3 <= file.length ? file.readUInt16BE(at + 1) : 0;
    const end = at + 1 + length;
    if (length < 2 || end > file.length) break;
    const segment = file.subarray(at - 1, end);
    const payload = file.subarray(at + 3, end);
    if (isFrameHeader(marker) && payload.length >= 5)
      size ??= { height: payload.readUInt16BE(1), width: payload.readUInt16BE(3) };
    if (marker === 0xe1 && payload.toString("latin1", 0, exifMark.length) === exifMark)
      orientation = readOrientation(payload.subarray(exifMark.length));
    else if (marker === 0xe0 && hasPrefix(payload, "JFIF\0") && payload.length >= 14)
      kept.push(removeThumbnail(payload));
    else if (isNeeded(marker, payload)) kept.push(segment);
    at = end;
    if (marker !== scanMarker) continue;
    hasScan = true;
    const scanEnd = findScanEnd(file, at);
    kept.push(file.subarray(at, scanEnd));
    at = scanEnd;
  }
  if (size === undefined || !hasScan || kept.length >= mostPieces) return undefined;
  const turned = orientation === 1 ? [] : [toOrientationSegment(orientation)];
  return { pieces: [startOfImage, ...turned, ...kept, endOfImage], ...turnSize(size, orientation) };
}

const startOfImage = Buffer.from([0xff, 0xd8]);
const endOfImage = Buffer.from([0xff, 0xd9]);
const endMarker = 0xd9;
const scanMarker = 0xda;

/** Returns the position of the next marker's second byte, or the end of the file. */
function skipFill(file: Buffer, from: number): number {
  let at = file.indexOf(0xff, from);
  if (at < 0) return file.length;
  while (file[at] === 0xff) at++;
  return at;
}

/** Returns where the compressed data ends: before the first marker that is no restart and no escaped byte. */
function findScanEnd(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return file.length;
}

/** Is true for the headers that hold the size: SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Returns true for what a decoder needs: of the application segments, the colour profile and Adobe's colour transform. */
function isNeeded(marker: number, payload: Buffer): boolean {
  if (marker === 0xfe) return false;
  if (marker < 0xe0 || marker > 0xef) return true;
  return (marker === 0xe2 && hasPrefix(payload, "ICC_PROFILE\0")) || (marker === 0xee && hasPrefix(payload, "Adobe"));
}

function hasPrefix(payload: Buffer, text: string): boolean {
  return payload.toString("latin1", 0, text.length) === text;
}

function removeThumbnail(payload: Buffer): Buffer {
  const header = Buffer.from(payload.subarray(0, 14));
  header.fill(0, 12, 14);
  return Buffer.concat([Buffer.from([0xff, 0xe0, 0, 16]), header]);
}

function toOrientationSegment(orientation: number): Buffer {
  const exif = Buffer.concat([Buffer.from(exifMark, "latin1"), writeOrientation(orientation)]);
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
}
