import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isTimeoutReason, releaseRun } from "../../src/runs/run-service.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const request = { of: "a host" };

/** A run that only knows who holds it. */
function holdRun(onDisconnect: "cancel" | "finish" = "cancel") {
  const waiters = new Set<object>([request]);
  const run = {
    isCancelled: false,
    addWaiter: (waiter: object) => void waiters.add(waiter),
    removeWaiter: (waiter: object) => waiters.delete(waiter) && waiters.size === 0,
    cancel() {
      run.isCancelled = true;
    },
  };
  const leave = (waiter: object, options?: { isLost?: boolean }): void =>
    releaseRun({ settings: { onDisconnect } }, run, [waiter], options);
  return { run, leave };
}

test("a run whose caller is cut off goes on for a minute", () => {
  const { run, leave } = holdRun();
  leave(request, { isLost: true });
  vi.advanceTimersByTime(59_999);
  expect(run.isCancelled).toBe(false);
  vi.advanceTimersByTime(1);
  expect(run.isCancelled).toBe(true);
});

test("a caller who is cut off again has a minute from then on", () => {
  const { run, leave } = holdRun();
  leave(request, { isLost: true });
  vi.advanceTimersByTime(50_000);
  run.addWaiter(request);
  leave(request, { isLost: true });
  vi.advanceTimersByTime(59_999);
  expect(run.isCancelled).toBe(false);
  vi.advanceTimersByTime(1);
  expect(run.isCancelled).toBe(true);
});

test("a run that is asked for again does not end with that minute, and a cancel ends it at once", () => {
  const { run, leave } = holdRun();
  leave(request, { isLost: true });
  const again = {};
  run.addWaiter(again);
  vi.advanceTimersByTime(120_000);
  expect(run.isCancelled).toBe(false);
  leave(again);
  expect(run.isCancelled).toBe(true);
});

test("a cancel within that minute ends the run, and none does where runs are kept", () => {
  const { run, leave } = holdRun();
  leave(request, { isLost: true });
  const again = {};
  run.addWaiter(again);
  leave(again);
  expect(run.isCancelled).toBe(true);
  const kept = holdRun("finish");
  kept.leave(request, { isLost: true });
  vi.advanceTimersByTime(120_000);
  expect(kept.run.isCancelled).toBe(false);
});

test.each([
  ["McpError: MCP error -32001: Request timed out", true],
  ["timed out after 5s", true],
  ["Request timeout", true],
  ["Maximum total timeout exceeded", true],
  ["context deadline exceeded", true],
  ["AbortError: This operation was aborted", false],
  ["enough", false],
  [undefined, false],
])("a cancel with the reason %j counts as a time-out: %s", (reason, isTimeout) => {
  expect(isTimeoutReason(reason)).toBe(isTimeout);
});
