import { createPlaces } from "../core/places.ts";
import { sleep } from "../core/waiting.ts";
import type { ServerSettings } from "./settings.ts";

/** Runs work within the limits of a server; waits its turn, or rejects when the signal aborts first. */
export type Pace = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** `maxConcurrent` at once, in the order they came, and starts at least `1 / callsPerSecond` seconds apart. */
export function createPace(limits: Pick<ServerSettings, "maxConcurrent" | "callsPerSecond">): Pace {
  const intervalMs = limits.callsPerSecond === undefined ? 0 : 1000 / limits.callsPerSecond;
  const places = createPlaces(limits.maxConcurrent ?? Number.POSITIVE_INFINITY);
  const door = createPlaces(1);
  let nextStart = 0;

  /** Counts from when the last call really started: one that was late is not made up for. */
  async function start(signal: AbortSignal): Promise<void> {
    await door.enter(signal);
    try {
      // A timer may be up to a millisecond early.
      for (let left = untilNext(); left > 0; left = untilNext()) await sleep(Math.ceil(left), signal);
      nextStart = performance.now() + intervalMs;
    } finally {
      door.leave();
    }
  }

  function untilNext(): number {
    return nextStart - performance.now();
  }

  return async (work, signal) => {
    signal.throwIfAborted();
    await places.enter(signal);
    try {
      if (intervalMs > 0) await start(signal);
      return await work();
    } finally {
      places.leave();
    }
  };
}
