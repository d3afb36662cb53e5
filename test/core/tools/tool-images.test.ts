import { expect, test } from "vitest";
import { renderContent } from "../../../src/core/tools/tool-content.ts";
import { mostResultImages, readImages, replaceMediaText } from "../../../src/core/tools/tool-images.ts";
import { toUserToolResult } from "../../../src/tools/user-tool-result.ts";
import { images, pngWithMetadata } from "../../fakes/images.ts";

const png = images.png.toString("base64");
const jpeg = images.jpeg.toString("base64");
const wave = Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), Buffer.alloc(200, 7)]).toString("base64");

test("images are taken from blocks, resources and structured content, each once and in their order", () => {
  const raw = {
    content: [
      { type: "image", data: jpeg, mimeType: "image/jpeg" },
      { type: "resource", resource: { uri: "shot://1", blob: png, mimeType: "image/png" } },
      { type: "audio", data: wave, mimeType: "audio/wav" },
      { type: "image", data: "not base64!", mimeType: "image/png" },
    ],
    structuredContent: {
      content: [{ type: "image", data: jpeg }],
      page: { screenshot: images.gif.toString("base64") },
    },
  };
  expect(readImages(raw).map((bytes) => Buffer.from(bytes))).toEqual([images.jpeg, images.png, images.gif]);
  const many = Array.from({ length: 30 }, (_, index) => {
    return { type: "image", data: Buffer.from([...images.png, index]).toString("base64") };
  });
  expect(readImages({ content: many })).toHaveLength(mostResultImages);
  for (const broken of [{}, { content: "no" }, { content: [null, 7] }, { structuredContent: [null] }])
    expect(readImages(broken)).toEqual([]);
});

test("media in structured content is named where it would be read as text, and other texts stay", () => {
  const long = "word ".repeat(40);
  const text = renderContent(
    {
      content: [{ type: "image", data: png, mimeType: "image/png" }],
      structuredContent: {
        content: [
          { data: png, mimeType: "image/png" },
          { data: wave, mimeType: "audio/wav" },
        ],
        long,
      },
    },
    "en",
  );
  expect(text).not.toContain(png.slice(0, 40));
  expect(text).not.toContain(wave.slice(0, 40));
  expect(text).toContain(`"data": "[image: image/png, ${Math.floor((png.length * 3) / 4)} bytes]"`);
  expect(text).toContain('"data": "[data: audio/wav, ');
  expect(text).toContain(long.trim());
});

test.each([
  ["a data URL", `See data:image/png;base64,${png} here`, "See [image: image/png, 240 bytes] here"],
  ["base64 in JSON as text", JSON.stringify({ shot: png }), '{"shot":"[image: image/png, 240 bytes]"}'],
  [
    "a data URL of another kind",
    `data:application/zip;base64,${"QUJD".repeat(40)}`,
    "[data: application/zip, 120 bytes]",
  ],
  ["a short one", "data:text/plain;base64,QUJD", "data:text/plain;base64,QUJD"],
  ["a path", `/9j/${"a/".repeat(10)}`, `/9j/${"a/".repeat(10)}`],
])("text with %s", (_, text, read) => {
  expect(replaceMediaText(text, "en").replace(/image\/png, \d+ bytes/, "image/png, 240 bytes")).toBe(read);
});

test("a text of a million letters is looked through at once", () => {
  const text = `${"iVBORw0KGg ".repeat(50_000)}${"A".repeat(1_000_000)}data:${"a/".repeat(100_000)}`;
  expect(replaceMediaText(text, "en")).toBe(text);
});

test("an own tool's image blocks are images too", () => {
  const data = pngWithMetadata().toString("base64");
  const result = toUserToolResult([{ type: "image", data, mimeType: "image/png" }], "tool", "en");
  expect(result.images?.map((bytes) => Buffer.from(bytes))).toEqual([pngWithMetadata()]);
  expect(result.text).toMatch(/^\[image: image\/png, \d+ bytes\]$/);
});
