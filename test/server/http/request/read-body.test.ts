import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { readBody } from "../../../../src/server/http/request/read-body.ts";

// What is not kept any more must not count, whatever else the process has done.
setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Gives these pieces, each by itself, as a socket does. */
function bodyOf(pieces: Iterable<Buffer>): Readable {
  const left = pieces[Symbol.iterator]();
  return new Readable({
    read() {
      const { value, done } = left.next();
      this.push(done ? null : value);
    },
  });
}

test("a body in pieces of any length arrives as it was sent, to the last byte that is allowed", async () => {
  const text = "谁在敲门？".repeat(1000);
  const bytes = Buffer.from(text);
  const pieces = [1, 2, 500, 499, 7, 4096].map((length, index, all) => {
    const from = all.slice(0, index).reduce((sum, each) => sum + each, 0);
    return bytes.subarray(from, from + length);
  });
  const rest = bytes.subarray(pieces.reduce((sum, { length }) => sum + length, 0));
  expect(await readBody(bodyOf([...pieces, rest]), null, bytes.length)).toBe(text);
  expect(await readBody(bodyOf([...pieces, rest]), null, bytes.length - 1)).toMatchObject({ status: 413 });
  expect(await readBody(bodyOf([]), null, 10)).toBe("");
});

test("nothing is read of a body that says that it is too long", async () => {
  let reads = 0;
  const body = new Readable({
    read() {
      reads += 1;
      this.push(null);
    },
  });
  expect(await readBody(body, "11", 10)).toMatchObject({ status: 413 });
  expect(reads).toBe(0);
});

test("a body that is not UTF-8 is refused", async () => {
  expect(await readBody(bodyOf([Buffer.from([0xff, 0xfe])]), null, 10)).toMatchObject({ status: 400, code: -32_700 });
});

test.each([
  [null, "the body is incomplete (the connection ended after 3 bytes)"],
  ["9", "the body is incomplete (3 of 9 bytes arrived)"],
])(
  "a body that does not arrive whole, declared as %s bytes, is refused with the bytes that came",
  async (declared, en) => {
    const cut = new Readable({ read() {} });
    const reading = readBody(cut, declared, 10);
    cut.push("abc");
    await expect.poll(() => cut.readableLength).toBe(0);
    cut.destroy();
    expect(await reading).toMatchObject({ status: 400, code: -32_700, text: { en } });
  },
);

test("a body in very many pieces weighs no more than one in few", async () => {
  const most = 400_000;
  let weight = Number.POSITIVE_INFINITY;
  function* pieces(): Generator<Buffer> {
    const letters = Buffer.alloc(most, "a");
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let at = 0; at < most; at++) yield letters.subarray(at, at + 1);
    collectGarbage();
    weight = process.memoryUsage().heapUsed - before;
  }
  expect(await readBody(bodyOf(pieces()), null, most)).toHaveLength(most);
  // Each buffer that is kept takes 125 bytes of it.
  expect(weight).toBeLessThan(40_000_000);
});
