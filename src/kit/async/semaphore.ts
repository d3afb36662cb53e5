import { waitAbortable } from "./timeout.ts";

/** Lets a fixed number of holders in at once. The others wait in the order they came. */
export interface Semaphore {
  /** Rejects with the signal's reason when it aborts first; then there is nothing to release. */
  acquire(signal: AbortSignal): Promise<void>;
  release(): void;
  /** Counts one more holder at once, even where the number is reached; the others wait longer for it. */
  acquireBeyondLimit(): void;
}

export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = count;

  function releasePlace(): void {
    const next = free < 0 ? undefined : waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    release: releasePlace,
    acquireBeyondLimit() {
      free -= 1;
    },
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
        if (place === -1) releasePlace();
        else waiting.splice(place, 1);
        throw reason;
      }
    },
  };
}

/**
 * Lets one at a time through for each key, in the order they come; gives the function that lets the next one in.
 * Rejects with the signal's reason when that aborts first.
 */
export type KeyedMutex = (key: string, signal: AbortSignal) => Promise<() => void>;

export function createKeyedMutex(): KeyedMutex {
  const lastByKey = new Map<string, Promise<void>>();
  return async (key, signal) => {
    const before = lastByKey.get(key) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const last = before.then(() => mine.promise);
    lastByKey.set(key, last);
    void last.then(() => {
      if (lastByKey.get(key) === last) lastByKey.delete(key);
    });
    try {
      await waitAbortable(before, signal);
    } catch (thrown) {
      mine.resolve();
      throw thrown;
    }
    return mine.resolve;
  };
}
