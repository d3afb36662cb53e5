import { waitAbortable } from "./timeout.ts";

/** Lets a fixed number of holders in at once. The others wait in the order they came. */
export interface Semaphore {
  /** Rejects with the signal's reason when it aborts first; then there is nothing to leave. */
  acquire(signal: AbortSignal): Promise<void>;
  release(): void;
}

export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = count;

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    release: leave,
    async acquire(signal) {
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise: mine, resolve: turn } = Promise.withResolvers<void>();
      waiting.push(turn);
      try {
        await waitAbortable(mine, signal);
      } catch (reason) {
        const place = waiting.indexOf(turn);
        if (place === -1) leave();
        else waiting.splice(place, 1);
        throw reason;
      }
    },
  };
}
