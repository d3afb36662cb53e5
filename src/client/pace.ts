import { abortable, sleep } from "../core/waiting.ts";
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

/** So many may be inside at once; the others wait in the order they came. */
interface Places {
  /** Rejects with the signal's reason when it aborts first; then there is nothing to leave. */
  enter(signal: AbortSignal): Promise<void>;
  leave(): void;
}

function createPlaces(count: number): Places {
  const waiting: (() => void)[] = [];
  let free = count;

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    leave,
    async enter(signal) {
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise: mine, resolve: turn } = Promise.withResolvers<void>();
      waiting.push(turn);
      try {
        await abortable(mine, signal);
      } catch (reason) {
        const place = waiting.indexOf(turn);
        if (place === -1) leave();
        else waiting.splice(place, 1);
        throw reason;
      }
    },
  };
}
