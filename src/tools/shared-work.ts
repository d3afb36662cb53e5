import { waitAbortable } from "../kit/async/timeout.ts";

export interface SharedWork<T> {
  key: string;
  pending: Map<string, Promise<T>>;
  work(): Promise<T>;
  /** Returns true when other callers can use the result. */
  isGood(result: T): boolean;
  signal: AbortSignal;
}

/**
 * Does the work, or waits for another caller that does it already. When that work fails or its result is not good, this caller
 * does the work itself. Rejects with the error of the work, or with the signal's reason while it waits.
 */
export async function shareWork<T>(options: SharedWork<T>): Promise<{ result: T; isShared: boolean }> {
  const { key, pending, isGood, signal } = options;
  for (let other = pending.get(key); other; other = pending.get(key)) {
    const found = other.then(
      (result) => ({ result, isShared: isGood(result) }),
      () => undefined,
    );
    const known = await waitAbortable(found, signal);
    if (known?.isShared) return known;
  }
  const work = options.work();
  pending.set(key, work);
  try {
    return { result: await work, isShared: false };
  } finally {
    if (pending.get(key) === work) pending.delete(key);
  }
}
