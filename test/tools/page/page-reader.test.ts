import { describe, expect, onTestFinished, test } from "vitest";
import type { PageBytes } from "../../../src/tools/page/page.ts";
import { createPageReader, type PageReaderOptions } from "../../../src/tools/page/page-reader.ts";

const never = new AbortController().signal;

function open(options?: PageReaderOptions) {
  const reader = createPageReader(options);
  onTestFinished(() => reader.close());
  return reader;
}

function html(text: string): PageBytes {
  const bytes = new TextEncoder().encode(text);
  return { kind: "html", bytes, charset: "utf-8", url: "https://site.example/", truncated: false };
}

/** Takes its reader long: pieces of the text that look like tags are gone through again and again. */
function slow(): PageBytes {
  return html(`<body>${"<a><b>".repeat(150)}${"<i>x</i>".repeat(400_000)}`);
}

function sentences(n: number): PageBytes {
  return html(`<p>Sentence ${n}.</p>`);
}

describe("the thread that reads pages", () => {
  test("reads pages side by side in the order asked", async () => {
    const reader = open();
    const readings = await Promise.all([1, 2, 3].map((n) => reader.read(sentences(n), never)));
    expect(readings).toMatchObject([1, 2, 3].map((n) => ({ page: { text: `Sentence ${n}.` } })));
  });

  test("takes the bytes over without a copy", async () => {
    const page = sentences(1);
    await open().read(page, never);
    expect(page.bytes.byteLength).toBe(0);
  });

  test("leaves memory alone that is not the page's own", async () => {
    const shared = Buffer.from("<p>One.</p><p>Two.</p>");
    const page = { ...sentences(0), bytes: shared.subarray(0, 11) };
    expect(await open().read(page, never)).toMatchObject({ page: { text: "One." } });
    expect(shared.toString()).toBe("<p>One.</p><p>Two.</p>");
  });

  test("is stopped at a page that takes too long", async () => {
    await expect(open({ pageLimitMs: 500 }).read(slow(), never)).rejects.toMatchObject({ code: "timeout" });
  });

  test("that runs out of memory fails that page only", async () => {
    const reader = open({ memoryMb: 40 });
    await expect(reader.read(slow(), never)).rejects.toMatchObject({ name: "DuetError", code: "tool" });
    expect(await reader.read(sentences(2), never)).toMatchObject({ page: { text: "Sentence 2." } });
  });

  test("stops when nobody wants the page any more", async () => {
    const reader = open();
    const cancelled = new AbortController();
    const reading = reader.read(slow(), cancelled.signal);
    const waiting = reader.read(sentences(1), cancelled.signal);
    const next = reader.read(sentences(2), never);
    cancelled.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    await expect(waiting).rejects.toThrow("enough");
    expect(await next).toMatchObject({ page: { text: "Sentence 2." } });
  });

  test("does not take more pages than may wait", async () => {
    const reader = open({ mostWaiting: 2 });
    const first = [reader.read(sentences(1), never), reader.read(sentences(2), never)];
    await expect(reader.read(sentences(3), never)).rejects.toMatchObject({ code: "overloaded" });
    await Promise.all(first);
    expect(await reader.read(sentences(4), never)).toMatchObject({ page: { text: "Sentence 4." } });
  });

  test("starts again after it was idle", async () => {
    const reader = open({ idleMs: 1 });
    for (const n of [1, 2, 3])
      expect(await reader.read(sentences(n), never)).toMatchObject({ page: { text: `Sentence ${n}.` } });
  });
});
