import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { readFairly } from "../../../src/client/transport/stdio.ts";

test("all that is written comes, in order, while others have their turns", async () => {
  const stream = new PassThrough({ highWaterMark: 1_000_000 });
  const sent = Array.from({ length: 40 }, (_, index) => Buffer.alloc(20_000, index));
  const taken: Buffer[] = [];
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  readFairly(stream, (piece) => {
    taken.push(Buffer.from(piece));
    for (const end = performance.now() + 1; performance.now() < end; );
  });
  for (const chunk of sent) stream.write(chunk);
  await expect.poll(() => Buffer.concat(taken).length).toBe(800_000);
  clearInterval(timer);
  expect(Buffer.concat(taken).equals(Buffer.concat(sent))).toBe(true);
  expect(turns).toBeGreaterThan(20);
});

test("what is written little by little is read at once", async () => {
  // No time passes while it is taken: on a busy machine this process may have to wait in the middle of it.
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  const taken: string[] = [];
  readFairly(stream, (piece) => taken.push(piece.toString()));
  for (const text of ["a", "b", "c"]) {
    stream.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(taken).toEqual(["a", "b", "c"]);
});
