import { expect, test } from "vitest";
import { Channel } from "../../../src/kit/async/channel.ts";

test("what was pushed before reading and while reading comes out in order, then the end", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  const reading = Array.fromAsync(channel);
  channel.push(2);
  await Promise.resolve();
  channel.push(3);
  channel.close();
  channel.push(4);
  expect(await reading).toEqual([1, 2, 3]);
});

test("a failure comes after what was pushed before it, to a reader that waits too", async () => {
  const failure = new Error("broken");
  const channel = new Channel<number>();
  channel.push(1);
  channel.fail(failure);
  channel.push(2);
  expect(await channel.next()).toEqual({ value: 1, done: false });
  await expect(channel.next()).rejects.toBe(failure);
  expect(await channel.next()).toEqual({ value: undefined, done: true });
  const other = new Channel<number>();
  const reads = [other.next(), other.next()];
  other.fail(failure);
  await expect(reads[0]).rejects.toBe(failure);
  expect(await reads[1]).toEqual({ value: undefined, done: true });
});
