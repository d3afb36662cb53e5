import { expect, test } from "vitest";
import { createBusyRetry } from "../../../src/store/sqlite/busy-retry.ts";

const busy = Object.assign(new Error("database is locked"), { errcode: 5 });

test("of many that wait for a lock one tries at a time, and all go on when it is free", async () => {
  let attempts = 0;
  let isLocked = true;
  const held = Promise.withResolvers<void>();
  const retry = createBusyRetry(60_000, new AbortController().signal);
  const attempt = (): number => {
    attempts += 1;
    if (attempts === 5) held.resolve();
    if (isLocked) throw busy;
    return attempts;
  };
  const all = Promise.all(Array.from({ length: 50 }, () => retry(attempt)));
  await held.promise;
  const before = attempts;
  isLocked = false;
  expect(await all).toHaveLength(50);
  // Each would have tried that often.
  expect(before).toBeLessThan(50);
  expect(attempts).toBe(before + 50);
});

test("whoever has waited long enough is told that the lock is held; another failure is told at once", async () => {
  const retry = createBusyRetry(0, new AbortController().signal);
  const waits = Array.from({ length: 3 }, () =>
    retry(() => {
      throw busy;
    }),
  );
  for (const wait of waits) await expect(wait).rejects.toBe(busy);
  await expect(
    retry(() => {
      throw new Error("disk I/O error");
    }),
  ).rejects.toThrow("disk I/O error");
});

test("nobody waits any more once the store is closed", async () => {
  const closing = new AbortController();
  const retry = createBusyRetry(60_000, closing.signal);
  const waits = Array.from({ length: 2 }, () =>
    retry(() => {
      throw busy;
    }),
  );
  closing.abort(new Error("closed"));
  for (const wait of waits) await expect(wait).rejects.toThrow("closed");
});
