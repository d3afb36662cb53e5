import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanImage } from "../../../src/kit/images/clean-image.ts";
import { mostPieces } from "../../../src/kit/images/found-picture.ts";
import { detectMediaType } from "../../../src/kit/images/image-type.ts";
import {
  exifOf,
  gifWithMetadata,
  images,
  jpegWithMetadata,
  loop,
  pngWithMetadata,
  secret,
  toPngChunk,
  webpWithMetadata,
} from "../../fakes/images.ts";

const withMetadata = {
  "image/jpeg": jpegWithMetadata,
  "image/png": pngWithMetadata,
  "image/webp": webpWithMetadata,
  "image/gif": gifWithMetadata,
} as const;

describe.each(Object.entries(withMetadata))("%s", (type, make) => {
  test("loses places, texts and whatever follows it, and keeps its size and its picture", () => {
    const file = make(1);
    expect(file.includes(secret)).toBe(true);
    const cleaned = cleanImage(file);
    expect(cleaned).toMatchObject({ mediaType: type, width: 24, height: 16 });
    const bytes = Buffer.from(cleaned?.bytes ?? []);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes("Exif")).toBe(false);
    const original = images[type.slice("image/".length) as keyof typeof images];
    const plain = Buffer.from(cleanImage(original)?.bytes ?? []);
    expect(type === "image/gif" ? withoutLoop(bytes) : bytes).toEqual(plain);
    // What the vendor gets is what was there before, but for what a browser adds itself.
    expect(original.includes(plain.subarray(-60, -4))).toBe(true);
  });

  test("is the same when it is cleaned once more", () => {
    const once = cleanImage(make(6));
    const twice = cleanImage(once?.bytes ?? new Uint8Array());
    expect(twice).toEqual(once);
  });

  test("changed or cut at any place neither throws nor takes long", () => {
    const file = make(6);
    const change = fc.record({ at: fc.nat(file.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.nat(file.length), (changes, end) => {
        const broken = Buffer.from(file.subarray(0, end));
        for (const { at, value } of changes) if (at < broken.length) broken[at] = value;
        const cleaned = cleanImage(broken);
        if (cleaned !== undefined) expect(cleaned.bytes.length).toBeLessThanOrEqual(broken.length + 64);
      }),
      { numRuns: 2000 },
    );
  });
});

function withoutLoop(bytes: Buffer): Buffer {
  const at = bytes.indexOf(loop);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + loop.length)]);
}

test.each([
  ["image/jpeg", jpegWithMetadata(6, "MM")],
  ["image/jpeg", jpegWithMetadata(8, "II")],
  ["image/png", pngWithMetadata(6)],
  ["image/webp", webpWithMetadata(5)],
])("%s that a viewer turns is still turned, and its size is the turned one", (_, file) => {
  const cleaned = cleanImage(file);
  expect(cleaned).toMatchObject({ width: 16, height: 24 });
  expect(Buffer.from(cleaned?.bytes ?? []).includes(secret)).toBe(false);
  expect(cleanImage(cleaned?.bytes ?? new Uint8Array())).toMatchObject({ width: 16, height: 24 });
});

test("EXIF whose only directory lies outside, or is itself, is read as no orientation", () => {
  for (const offset of [4, 8, 0xffffffff, 30]) {
    const exif = exifOf(6);
    exif.writeUInt32LE(offset, 4);
    const file = Buffer.concat([images.png.subarray(0, 33), toPngChunk("eXIf", exif), images.png.subarray(33)]);
    expect(cleanImage(file)?.width).toBe(offset === 8 ? 16 : 24);
  }
});

test("a file of nothing but tiny pieces is refused before they fill the memory", () => {
  const tiny = toPngChunk("IDAT", Buffer.alloc(0));
  const file = Buffer.concat([images.png.subarray(0, 33), ...Array.from({ length: mostPieces + 1 }, () => tiny)]);
  expect(cleanImage(Buffer.concat([file, toPngChunk("IEND", Buffer.alloc(0))]))).toBeUndefined();
});

test("the type is what the bytes show; an image without a picture is none", () => {
  expect(detectMediaType(images.webp)).toBe("image/webp");
  expect(detectMediaType(Buffer.from("%PDF-1.7 x"))).toBe("application/pdf");
  expect(detectMediaType(Buffer.from("\0\0\0\x1cftypheic\0\0", "latin1"))).toBe("image/heic");
  expect(detectMediaType(Buffer.from("hello"))).toBeUndefined();
  expect(detectMediaType(new Uint8Array())).toBeUndefined();
  for (const { length } of [images.png, images.jpeg])
    expect(cleanImage(images.png.subarray(0, Math.min(length, 33)))).toBeUndefined();
  expect(cleanImage(Buffer.from("RIFF\x04\0\0\0WEBP", "latin1"))).toBeUndefined();
});
