import { expect, test } from "vitest";
import { joinCalls } from "../../../src/kit/async/join-calls.ts";

test("calls during the work share one more go, which begins after it, whether it failed or not", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const call = joinCalls(() => {
    const work = Promise.withResolvers<void>();
    begun.push(work);
    return work.promise;
  });
  const first = call();
  const others = [call(), call()];
  expect(begun).toHaveLength(1);
  begun[0]?.reject(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await expect.poll(() => begun.length).toBe(2);
  const last = call();
  begun[1]?.resolve();
  await Promise.all(others);
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.resolve();
  await last;
  const again = call();
  expect(begun).toHaveLength(4);
  begun[3]?.resolve();
  await again;
});

test("work that does not end keeps nobody from the next go for longer than that", async () => {
  const goes: number[] = [];
  const call = joinCalls(async () => {
    goes.push(goes.length);
    if (goes.length === 1) await new Promise(() => {});
  }, 1);
  void call();
  await call();
  expect(goes).toEqual([0, 1]);
});
