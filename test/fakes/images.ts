import { crc32 } from "node:zlib";

/** Pictures of 24×16 pixels as Chromium wrote them. */
export const images = {
  png: decode(
    "iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAYAAAAMJL+VAAAApUlEQVR4AezUqRLCMBSF4UPY18vaoNBoNBqNRqPRaDQajUaj0Wg0mtegf0VUp651Ed9ckcmcTCY5TtK/hzlWWGODLXbY44AjTjjjgituuOOBJ15444MvfnAyIqwmGVlWZzbQRAttyTrogmNYnznAECOw2cbMCaaYgaPagpnAy8UAxSuKryj+A+qgqCo8a8sqqiL0UEKALzsgK7pMCCktIDRpvk1TAAAA//+MeeymAAAABklEQVQDAFCtSByAbjO9AAAAAElFTkSuQmCC",
  ),
  jpeg: decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgcA/8QAIRAAAQIGAgMAAAAAAAAAAAAAEQAGAQMEBSKhAhJBUXH/xAAWAQEBAQAAAAAAAAAAAAAAAAAFAwf/xAAgEQABAgUFAAAAAAAAAAAAAAABAAMCBAUGEhEUIVGh/9oADAMBAAIRAxEAPwCG0DdIw0klA2iMNJ9a26Rgl1rbRGGkNKPbpH0i5MdOVOKBrkYaWVqpbLLkxhxhL78/UPH1ZUdfpjMZgddGQ6BPoBC0mTuSMtAgr//Z",
  ),
  webp: decode(
    "UklGRnQCAABXRUJQVlA4WAoAAAAgAAAAFwAADwAASUNDUMgBAAAAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADZWUDgghgAAABAFAJ0BKhgAEAA+bTCTRiQjIaEwCACADYlsAJ0yhHA3gH4q8IEQA1ysFAOIW+AWDfgA/v+L6gaN4gL2a5nhrPTBv2ZJ/K2cTG0UH/kXsYdfZpp8s+gS4L6qZ90v0lNyS1gfYM8+re6mfYFJ7WNX/mso38zg7F2L+6aZ/ippVIpeJ8gWQAAA",
  ),
  gif: decode(
    "R0lGODlhGAAQAIAAAP8AAAAA/yH5BAAKAAAALAAAAAAYABAAAALZRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGRIgQIUKECBEiRIgQIcKAAQMGDBgwYMCAAQMGBQA7",
  ),
};

/** What the metadata of every picture below says; none of it may be left in what is stored or sent. */
export const secret = "TAKEN-AT-31.2304N-121.4737E";

/** EXIF with an orientation and a text, in TIFF's structure of either byte order. */
export function exifOf(orientation: number, order: "II" | "MM" = "II"): Buffer {
  const tiff = Buffer.alloc(38);
  const short = (value: number, at: number) =>
    order === "II" ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  const long = (value: number, at: number) =>
    order === "II" ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at);
  tiff.write(order, 0, "latin1");
  short(42, 2);
  long(8, 4);
  short(2, 8);
  // A description, then the orientation.
  for (const [at, tag, type, count] of [
    [10, 0x010e, 2, secret.length],
    [22, 0x0112, 3, 1],
  ] as const) {
    short(tag, at);
    short(type, at + 2);
    long(count, at + 4);
  }
  long(38, 18);
  short(orientation, 30);
  return Buffer.concat([tiff, Buffer.from(secret, "latin1")]);
}

/** A JPEG with EXIF, XMP, IPTC, a comment and a second picture behind the first one. */
export function jpegWithMetadata(orientation = 6, order: "II" | "MM" = "II"): Buffer {
  const { jpeg } = images;
  return Buffer.concat([
    jpeg.subarray(0, 2),
    toSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exifOf(orientation, order)])),
    toSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x>${secret}</x>`, "latin1")),
    toSegment(0xed, Buffer.from(`Photoshop 3.0\0${secret}`, "latin1")),
    toSegment(0xfe, Buffer.from(secret, "latin1")),
    jpeg.subarray(2),
    Buffer.from(secret, "latin1"),
  ]);
}

function toSegment(marker: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 0xff]), payload]);
}

/** A PNG with texts, a time, EXIF and something behind its end. */
export function pngWithMetadata(orientation = 6): Buffer {
  const { png } = images;
  const header = 8 + 25;
  return Buffer.concat([
    png.subarray(0, header),
    toPngChunk("tEXt", Buffer.from(`Comment\0${secret}`, "latin1")),
    toPngChunk("iTXt", Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${secret}`, "latin1")),
    toPngChunk("eXIf", exifOf(orientation)),
    toPngChunk("prVt", Buffer.from(secret, "latin1")),
    png.subarray(header),
    Buffer.from(secret, "latin1"),
  ]);
}

export function toPngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A WebP with EXIF and XMP, and the flags that announce them. */
export function webpWithMetadata(orientation = 6): Buffer {
  const file = Buffer.concat([
    images.webp,
    toWebpChunk("EXIF", exifOf(orientation)),
    toWebpChunk("XMP ", Buffer.from(secret, "latin1")),
  ]);
  file.writeUInt32LE(file.length - 8, 4);
  file[20] = (file[20] ?? 0) | 0x0c;
  return Buffer.concat([file, Buffer.from(secret, "latin1")]);
}

function toWebpChunk(type: string, data: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 0, "latin1");
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)]);
}

/** A GIF with a comment, XMP, a loop and something behind its end. */
export function gifWithMetadata(): Buffer {
  const { gif } = images;
  const start = 13 + 6;
  return Buffer.concat([
    gif.subarray(0, start),
    loop,
    Buffer.from([0x21, 0xfe, secret.length]),
    Buffer.from(`${secret}\0`, "latin1"),
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from(`XMP DataXMP${String.fromCharCode(secret.length)}${secret}\0`, "latin1"),
    gif.subarray(start),
    Buffer.from(secret, "latin1"),
  ]);
}

export const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from("NETSCAPE2.0\x03\x01\0\0\0", "latin1")]);

function decode(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
