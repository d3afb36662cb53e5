import { waitAbortable } from "./timeout.ts";

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
