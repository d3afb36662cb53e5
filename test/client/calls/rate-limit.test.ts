import { expect, onTestFinished, test, vi } from "vitest";
import { createRateLimiter } from "../../../src/client/calls/request-sender.ts";

/** Lets everything that is ready to run do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const never = new AbortController().signal;

/** Starts work that runs until it is stopped. */
function task(): { work: () => Promise<void>; started: () => boolean; end: () => void } {
  let hasStarted = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    work: () => {
      hasStarted = true;
      return promise;
    },
    started: () => hasStarted,
    end: () => resolve(),
  };
}

test("no more calls run at once than the limit, and they run in the order they came", async () => {
  const pace = createRateLimiter({ maxConcurrent: 2 });
  const tasks = [task(), task(), task(), task()];
  const calls = tasks.map(({ work }) => pace.run(work, never));
  await settle();
  expect(tasks.map(({ started }) => started())).toEqual([true, true, false, false]);
  tasks[1]?.end();
  await calls[1];
  await settle();
  expect(tasks.map(({ started }) => started())).toEqual([true, true, true, false]);
  for (const { end } of tasks) end();
  await Promise.all(calls);
});

test("one that gives up waiting leaves its place to the next", async () => {
  const pace = createRateLimiter({ maxConcurrent: 1 });
  const [first, second, third] = [task(), task(), task()];
  const impatient = new AbortController();
  const running = pace.run(first.work, never);
  const waiting = pace.run(second.work, impatient.signal);
  const last = pace.run(third.work, never);
  impatient.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  first.end();
  third.end();
  await Promise.all([running, last]);
  expect(second.started()).toBe(false);
  expect(third.started()).toBe(true);
});

test("a failed call frees its place", async () => {
  const pace = createRateLimiter({ maxConcurrent: 1 });
  await expect(pace.run(() => Promise.reject(new Error("no")), never)).rejects.toThrow("no");
  await expect(pace.run(async () => "yes", never)).resolves.toBe("yes");
});

test("calls start at least their share of a second apart, in their order", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pace = createRateLimiter({ callsPerSecond: 50 });
  const starts: { call: number; at: number }[] = [];
  const began = performance.now();
  const calls = [1, 2, 3, 4].map((call) =>
    pace.run(async () => void starts.push({ call, at: performance.now() - began }), never),
  );
  await vi.advanceTimersByTimeAsync(20);
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(calls);
  expect(starts.map(({ call }) => call)).toEqual([1, 2, 3, 4]);
  for (const [index, { at }] of starts.slice(1).entries())
    expect(at - (starts[index]?.at ?? 0)).toBeGreaterThanOrEqual(20);
});

test("a server that asked for less is left alone for that long, and its calls start 350 ms apart from then on", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pace = createRateLimiter({});
  const starts: number[] = [];
  const began = performance.now();
  pace.rest(1000);
  const calls = [1, 2, 3].map(() => pace.run(async () => void starts.push(performance.now() - began), never));
  await vi.advanceTimersByTimeAsync(999);
  expect(starts).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all(calls);
  const [first = 0, second = 0, third = 0] = starts;
  expect(starts).toHaveLength(3);
  expect(first).toBeGreaterThanOrEqual(1000);
  expect(second - first).toBeGreaterThanOrEqual(350);
  expect(third - second).toBeGreaterThanOrEqual(350);
});

test("calls that were refused go on one after the other once the server may be asked again, and new ones are not slowed", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pace = createRateLimiter({});
  const began = performance.now();
  const turns: number[] = [];
  pace.postpone(1000);
  const refused = [1, 2, 3].map(() => pace.waitForTurn(never).then(() => turns.push(performance.now() - began)));
  await vi.advanceTimersByTimeAsync(999);
  expect(turns).toEqual([]);
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all(refused);
  const [first = 0, second = 0, third = 0] = turns;
  expect(first).toBeGreaterThanOrEqual(1000);
  expect(second - first).toBeGreaterThanOrEqual(350);
  expect(third - second).toBeGreaterThanOrEqual(350);
  const starts: number[] = [];
  const calls = [1, 2].map(() => pace.run(async () => void starts.push(performance.now()), never));
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all(calls);
  expect(starts[1]).toBe(starts[0]);
});

test("a server that asked for less keeps a longer pause that was configured", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const pace = createRateLimiter({ callsPerSecond: 1 });
  pace.rest(0);
  const starts: number[] = [];
  const calls = [1, 2].map(() => pace.run(async () => void starts.push(performance.now()), never));
  await vi.advanceTimersByTimeAsync(2000);
  await Promise.all(calls);
  const [first = 0, second = 0] = starts;
  expect(second - first).toBeGreaterThanOrEqual(1000);
});
