import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCoalescedWork } from "../../../src/kit/async/coalesced-work.ts";
import { sleep } from "../../../src/kit/async/timeout.ts";

describe("work that is requested too often", () => {
  test("is done once more for all that was requested meanwhile, and not sooner than its pause", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const began: number[] = [];
    const work = createCoalescedWork(async () => {
      began.push(performance.now());
    }, 1000);
    for (let count = 0; count < 200; count += 1) work.request();
    const pending = work.waitForPending();
    await vi.advanceTimersByTimeAsync(5000);
    await pending;
    expect(began).toHaveLength(2);
    expect((began[1] ?? 0) - (began[0] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test("is not forgotten when it is requested at the moment in which it is done", async () => {
    let rounds = 0;
    const work = createCoalescedWork(async () => {
      rounds += 1;
    }, 0);
    for (let round = 1; round <= 5; round += 1) {
      work.request();
      await work.waitForPending();
      expect(rounds).toBe(round);
    }
  });

  test("is done for who waits, although somebody goes on requesting it", async () => {
    let rounds = 0;
    const work = createCoalescedWork(async () => {
      rounds += 1;
      work.request();
    }, 5);
    work.request();
    await work.waitForPending();
    await work.waitForPending();
    work.close();
    expect(rounds).toBeLessThanOrEqual(3);
  });

  test("is dropped at the end, and nobody waits for it", async () => {
    let rounds = 0;
    const work = createCoalescedWork(async () => {
      rounds += 1;
    }, 60_000);
    work.request();
    await work.waitForPending();
    work.request();
    const pending = work.waitForPending();
    work.close();
    await pending;
    expect(rounds).toBe(1);
  });

  test("does not begin after the end, also where the one in progress has lasted longer than the pause", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let rounds = 0;
    const work = createCoalescedWork(async () => {
      rounds += 1;
      await sleep(1000);
    }, 10);
    work.request();
    work.request();
    await vi.advanceTimersByTimeAsync(500);
    work.request();
    work.close();
    await work.waitForPending();
    await vi.advanceTimersByTimeAsync(5000);
    expect(rounds).toBe(1);
  });
});
