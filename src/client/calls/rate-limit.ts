import type { ServerSettings } from "../../config/server-settings.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { sleep } from "../../kit/async/timeout.ts";

/** Keeps calls within the limits of a server. */
export interface RateLimiter {
  /** Waits its turn and runs the work, or rejects when the signal aborts first. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lets no work begin for so long, in milliseconds, and then less than before: the server has asked for that. */
  rest(ms: number): void;
}

/** Between two calls of a server that has asked for less, in milliseconds: three a second is Amap's limit of a personal key. */
const slowedMs = 350;

/** `maxConcurrent` at once, in the order they came, and starts at least `1 / callsPerSecond` seconds apart. */
export function createRateLimiter(limits: Pick<ServerSettings, "maxConcurrent" | "callsPerSecond">): RateLimiter {
  let intervalMs = limits.callsPerSecond === undefined ? 0 : 1000 / limits.callsPerSecond;
  const semaphore = createSemaphore(limits.maxConcurrent ?? Number.POSITIVE_INFINITY);
  const door = createSemaphore(1);
  let nextStart = 0;

  /** Counts from when the last call really started: one that was late is not made up for. */
  async function start(signal: AbortSignal): Promise<void> {
    await door.acquire(signal);
    try {
      // A timer may be up to a millisecond early.
      for (let left = untilNext(); left > 0; left = untilNext()) await sleep(Math.ceil(left), signal);
      nextStart = performance.now() + intervalMs;
    } finally {
      door.release();
    }
  }

  function untilNext(): number {
    return nextStart - performance.now();
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      await semaphore.acquire(signal);
      try {
        if (intervalMs > 0 || untilNext() > 0) await start(signal);
        return await work();
      } finally {
        semaphore.release();
      }
    },
    rest(ms) {
      intervalMs = Math.max(intervalMs, slowedMs);
      nextStart = Math.max(nextStart, performance.now() + ms);
    },
  };
}
