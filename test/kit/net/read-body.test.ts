import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseEncodings, readBody } from "../../../src/kit/net/read-body.ts";

test("of a body no more is read and unpacked than is wanted", async () => {
  const plain = Buffer.alloc(1_000_000, "x");
  for (const [sent, encodings] of [
    [plain, []],
    [gzipSync(plain), ["gzip"]],
    [gzipSync(gzipSync(plain)), ["gzip", "gzip"]],
  ] as const) {
    const { body, truncated } = await readBody(Readable.from([sent]), encodings, 1000);
    expect([body.length, truncated]).toEqual([1000, true]);
  }
  expect(await readBody(Readable.from([Buffer.from("1234")]), [], 4)).toMatchObject({ truncated: false });
});

test("a body without end is read only so far, and then closed", async () => {
  let pieces = 0;
  const endless = new Readable({
    read() {
      pieces += 1;
      this.push(pieces > 1000 ? null : Buffer.alloc(1000, "x"));
    },
  });
  expect(await readBody(endless, [], 5000)).toMatchObject({ truncated: true });
  expect([pieces < 100, endless.destroyed]).toEqual([true, true]);
});

test("at most two encodings of one body are undone, the last one first, and none that is not known", () => {
  expect(parseEncodings("gzip, br")).toEqual(["br", "gzip"]);
  expect(parseEncodings("identity")).toEqual([]);
  expect(parseEncodings("gzip, gzip, gzip")).toBeUndefined();
  expect(parseEncodings("zstd")).toBeUndefined();
});
