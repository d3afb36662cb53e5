import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "../../../src/client/transport/line-splitter.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";

function split(chunks: Buffer[], bytes = 1000, values = 1_000_000): { lines: string[]; tooLong: [string, string][] } {
  const lines: string[] = [];
  const tooLong: [string, string][] = [];
  const splitter = new LineSplitter(
    { bytes, values },
    {
      line: (text) => lines.push(text),
      tooLong: (part, text) => tooLong.push([part, text]),
    },
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, tooLong };
}

function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  return [...chunks, bytes.subarray(start)];
}

test("lines come out the same however the bytes were split", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replaceAll("\n", " "));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (texts, sizes) => {
      const bytes = Buffer.from(texts.map((text) => `${text.toWellFormed()}\n`).join(""));
      expect(split(cut(bytes, sizes)).lines).toEqual(texts.map((text) => text.toWellFormed()));
    }),
  );
});

test("a line that is too long is skipped, and those around it are not", () => {
  const bytes = Buffer.from(`before\nHEAD${"x".repeat(5000)}TAIL\nafter\n`);
  for (const size of [1, 7, 512, 100_000]) {
    const { lines, tooLong } = split(cut(bytes, Array(Math.ceil(bytes.length / size)).fill(size)));
    expect(lines).toEqual(["before", "after"]);
    expect(tooLong.map(([part]) => part)).toEqual(["head", "tail"]);
    expect(tooLong[0]?.[1].startsWith("HEAD")).toBe(true);
    expect(tooLong[1]?.[1].endsWith("TAIL")).toBe(true);
  }
});

test("a line of exactly the limit is taken", () => {
  for (const chunks of [[`${"x".repeat(1000)}\n`], ["x".repeat(500), "x".repeat(500), "\n"]]) {
    expect(split(chunks.map((text) => Buffer.from(text))).lines).toEqual(["x".repeat(1000)]);
  }
});

test("123: a long line in many small pieces takes linear time", () => {
  const chunks = Array.from({ length: 10_000 }, () => Buffer.alloc(1000, "x"));
  const cpuTime = startCpuClock();
  const { lines } = split([...chunks, Buffer.from("\n")], 10_000_000);
  expect(lines[0]).toHaveLength(10_000_000);
  expect(cpuTime()).toBeLessThan(5000);
});
