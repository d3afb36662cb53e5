import { waitAbortable } from "./timeout.ts";

/** Lets a fixed number of holders in at once. The others wait in the order they came. */
export interface Semaphore {
  /** Rejects with the signal's reason when it aborts first; then there is nothing to leave. */
  acquire(signal: AbortSignal): Promise<void>;
  release(): void;
  /** Takes a place even where none is free; others wait the longer for it. */
  takeAnyway(): void;
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
    takeAnyway() {
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
  const lastOf = new Map<string, Promise<void>>();
  return async (key, signal) => {
    const before = lastOf.get(key) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const last = before.then(() => mine.promise);
    lastOf.set(key, last);
    void last.then(() => {
      if (lastOf.get(key) === last) lastOf.delete(key);
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
