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
