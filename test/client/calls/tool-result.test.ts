import { expect, test } from "vitest";
import type { RawResult } from "../../../src/client/calls/tool-result.ts";
import { toToolResult } from "../../../src/client/calls/tool-result.ts";

function read(raw: RawResult): ReturnType<typeof toToolResult> {
  return toToolResult(raw, (text) => text.replaceAll("SECRET", "[gone]"), { locale: "en" });
}

test("text blocks are joined", () => {
  expect(
    read({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    }),
  ).toEqual({ ok: true, text: "a\n\nb" });
});

test("images and audio are named, not shown", () => {
  const { text } = read({
    content: [
      { type: "image", data: "A".repeat(400), mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    ],
  });
  expect(text).toBe("[image: image/png, 300 bytes]\n\n[audio: audio/wav, 3 bytes, not shown]");
});

test("an embedded text resource is read, a binary one is named, a link is never followed", () => {
  const { text } = read({
    content: [
      { type: "resource", resource: { uri: "file:///a.txt", text: "inside" } },
      { type: "resource", resource: { uri: "file:///a.bin", blob: "AAAA", mimeType: "application/x-y" } },
      { type: "resource_link", uri: "file:///etc/passwd", name: "passwords", description: "look" },
    ],
  });
  expect(text).toBe(
    "[resource file:///a.txt]\ninside\n\n[resource file:///a.bin: application/x-y, 3 bytes, not shown]\n\n[resource link: passwords · file:///etc/passwd · look]",
  );
});

test("structured content speaks when no text does", () => {
  expect(read({ structuredContent: { a: 1 } }).text).toBe('{\n  "a": 1\n}');
  expect(read({ content: [{ type: "text", text: "a is 1" }], structuredContent: { a: 1 } }).text).toBe("a is 1");
});

test("a block of an unknown type costs only itself", () => {
  const { ok, text } = read({ content: [{ type: "hologram" }, null, { type: "text", text: "here" }] });
  expect(ok).toBe(true);
  expect(text).toContain('the unknown type "hologram", omitted');
  expect(text).toContain("here");
});

test("an error result is a failure with the server's words", () => {
  expect(read({ isError: true, content: [{ type: "text", text: "no such SECRET city" }] })).toEqual({
    ok: false,
    text: "no such [gone] city",
    error: { code: "tool", message: "no such [gone] city" },
  });
  expect(read({ isError: true }).text).toBe("The tool reported an error without a message.");
});

test("a result is cut at one million characters and says so", () => {
  const { text } = read({ content: [{ type: "text", text: `${"x".repeat(999_997)}SECRET${"y".repeat(2_000_000)}` }] });
  expect(text.length).toBeLessThan(1_000_200);
  expect(text).toContain("only the first 1000000 characters are kept");
  expect(text).not.toContain("SEC");
});

test("half a surrogate pair and NUL do not reach a vendor", () => {
  const { text } = read({ content: [{ type: "text", text: "a\ud83d b\u0000" }] });
  expect(text).toBe("a\ufffd b\ufffd");
});

test("whatever a server sends, reading it gives a result", () => {
  for (const raw of [{}, { content: "text" }, { content: [[], 1, "x", {}] }, { content: [{ type: "text" }] }]) {
    expect(read(raw).ok).toBe(true);
  }
});
