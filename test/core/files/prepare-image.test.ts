import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { longestImage, mostPixels, prepareImage } from "../../../src/core/files/prepare-image.ts";
import { images, jpegWithMetadata, pngWithMetadata, secret } from "../../fakes/images.ts";

test("an image becomes a part with its type by the bytes, its size, its hash and its name without folders", () => {
  const made = prepareImage(pngWithMetadata(1), "C:\\Users\\me/holiday [1]\u202e.jpg");
  if ("refusal" in made) throw new Error(made.refusal.en);
  expect(made.part).toEqual({
    type: "image",
    image: {
      hash: hash("sha256", made.bytes),
      mediaType: "image/png",
      size: made.bytes.length,
      name: "holiday _1_\\u{202e}.jpg",
    },
    width: 24,
    height: 16,
  });
  expect(Buffer.from(made.bytes).includes(secret)).toBe(false);
});

test("the same picture with other metadata has the same hash", () => {
  const [one, other] = [prepareImage(jpegWithMetadata(1)), prepareImage(images.jpeg)];
  expect("part" in one && "part" in other && one.part).toEqual("part" in other && other.part);
});

test.each([
  [
    "of another type",
    Buffer.from("\0\0\0\x1cftypheic\0\0", "latin1"),
    "image/heic is not accepted (accepted: PNG, JPEG, GIF, WebP)",
  ],
  ["that is a document", Buffer.from("%PDF-1.7"), "application/pdf is not accepted (accepted: PNG, JPEG, GIF, WebP)"],
  ["that is none", Buffer.from("<html>"), "this is no image (accepted: PNG, JPEG, GIF, WebP)"],
  ["that is empty", new Uint8Array(), "this is no image (accepted: PNG, JPEG, GIF, WebP)"],
  ["that is cut", images.png.subarray(0, 60), "the image is damaged or incomplete"],
  [
    "of too many bytes",
    Buffer.concat([images.png, Buffer.alloc(longestImage)]),
    "the image has 20 MB; the limit is 20 MB",
  ],
  ["of too many pixels", ofSize(60_000, 60_000), "the image has 60000×60000 pixels; the limit is 100 million"],
])("a file %s is refused in one line that says what is accepted", (_, bytes, line) => {
  const made = prepareImage(bytes, "a.png");
  expect("refusal" in made && made.refusal.en).toBe(`a.png: ${line}`);
  expect("refusal" in made && made.refusal.zh).toMatch(/^a\.png：.*[\u4e00-\u9fff]/);
});

test("an image of exactly as many pixels as are allowed is taken", () => {
  expect(prepareImage(ofSize(mostPixels / 1000, 1000))).toHaveProperty("part");
  expect(prepareImage(ofSize(mostPixels / 1000, 1001))).toHaveProperty("refusal");
});

/** A PNG that says it has this size. */
function ofSize(width: number, height: number): Buffer {
  const file = Buffer.from(images.png);
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
}
