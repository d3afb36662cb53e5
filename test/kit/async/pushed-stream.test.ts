import { expect, test } from "vitest";
import { createPushedStream } from "../../../src/kit/async/pushed-stream.ts";

test("nothing begins before it is read, and a slow reader gets every item in order, then the error", async () => {
  const failure = new Error("broken");
  let begun = 0;
  const stream = createPushedStream<number>(async (push) => {
    begun += 1;
    for (let item = 0; item < 1000; item++) push(item);
    throw failure;
  });
  expect(begun).toBe(0);
  const items: number[] = [];
  const read = async (): Promise<void> => {
    for await (const item of stream) {
      if (item % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      items.push(item);
    }
  };
  await expect(read()).rejects.toBe(failure);
  expect(items).toEqual(Array.from({ length: 1000 }, (_, item) => item));
  expect(begun).toBe(1);
});

test("a reader that leaves stops what pushes, waits for its end, and gets nothing more", async () => {
  let isOver = false;
  const stream = createPushedStream<number>(async (push, left) => {
    push(1);
    await new Promise((resolve) => left.addEventListener("abort", resolve, { once: true }));
    push(2);
    isOver = true;
  });
  for await (const item of stream) {
    expect(item).toBe(1);
    break;
  }
  expect(isOver).toBe(true);
  expect(await stream.next()).toEqual({ value: undefined, done: true });
});

test("a stream that is left before it is read, or after its end, begins and aborts nothing", async () => {
  const aborts: AbortSignal[] = [];
  let begun = 0;
  const create = () =>
    createPushedStream<number>(async (_, left) => {
      begun += 1;
      aborts.push(left);
    });
  const unread = create();
  await unread.return();
  expect(await unread.next()).toEqual({ value: undefined, done: true });
  expect(begun).toBe(0);
  const read = create();
  expect(await Array.fromAsync(read)).toEqual([]);
  await read.return();
  expect(aborts.map(({ aborted }) => aborted)).toEqual([false]);
});
