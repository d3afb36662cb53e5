import { type FoundPicture, mostPieces } from "./found-picture.ts";

/** Names the extensions of applications that say how often an animation is repeated. */
const loopNames: readonly string[] = ["NETSCAPE2.0", "ANIMEXTS1.0"];

const headerLength = 13;

/** Reads the blocks of a GIF up to its end. */
export function cleanGif(file: Buffer): FoundPicture | undefined {
  if (file.length < headerLength) return undefined;
  const start = headerLength + getTableLength(file[10] ?? 0);
  if (start > file.length) return undefined;
  const kept: Buffer[] = [file.subarray(0, start)];
  let hasImage = false;
  let at = start;
  while (at < file.length && file[at] !== trailer && kept.length < mostPieces) {
    const end = file[at] === imageMark ? findImageEnd(file, at) : findExtensionEnd(file, at);
    if (end === undefined) break;
    if (file[at] === imageMark || isNeeded(file, at)) kept.push(file.subarray(at, end));
    hasImage ||= file[at] === imageMark;
    at = end;
  }
  if (!hasImage || kept.length >= mostPieces) return undefined;
  return { pieces: [...kept, Buffer.from([trailer])], width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
}

const imageMark = 0x2c;
const extensionMark = 0x21;
const trailer = 0x3b;

/** Returns the bytes of the colour table that the flags announce. */
function getTableLength(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function findImageEnd(file: Buffer, at: number): number | undefined {
  const flags = file[at + 9];
  return flags === undefined ? undefined : findBlocksEnd(file, at + 11 + getTableLength(flags));
}

function findExtensionEnd(file: Buffer, at: number): number | undefined {
  return file[at] === extensionMark ? findBlocksEnd(file, at + 2) : undefined;
}

/** Returns the position behind a chain of blocks, each of which begins with its length; an empty one is the last. */
function findBlocksEnd(file: Buffer, from: number): number | undefined {
  for (let at = from; ; ) {
    const length = file[at];
    if (length === undefined) return undefined;
    at += length + 1;
    if (length === 0) return at;
  }
}

/** An extension belongs to the picture when it controls a frame or the loop of the animation. */
function isNeeded(file: Buffer, at: number): boolean {
  const label = file[at + 1];
  return label === 0xf9 || (label === 0xff && loopNames.includes(file.toString("latin1", at + 3, at + 14)));
}
