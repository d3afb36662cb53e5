import { expect, test } from "vitest";
import { createInputQueue } from "../../../../src/cli/chat/interface/input-queue.ts";

test("what is submitted meanwhile comes in its order, then the end", async () => {
  const queue = createInputQueue();
  const first = queue.next();
  queue.push("one");
  queue.push("two");
  queue.push("three");
  expect(await first).toBe("one");
  expect(queue.waiting).toEqual(["two", "three"]);
  queue.close();
  expect([await queue.next(), await queue.next(), await queue.next()]).toEqual(["two", "three", undefined]);
});

test("who waits is told of the end", async () => {
  const queue = createInputQueue();
  const next = queue.next();
  queue.close();
  expect(await next).toBeUndefined();
});

test("what waits can be taken back, and is then not given", async () => {
  const queue = createInputQueue();
  queue.push("one");
  queue.push("two");
  expect(queue.takeAll()).toEqual(["one", "two"]);
  queue.close();
  expect(await queue.next()).toBeUndefined();
});
