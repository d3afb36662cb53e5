import { waitPatiently } from "./timeout.ts";

/**
 * Does the work for a call, but not twice at once: whoever calls while it is being done shares one more go, which begins when that one has
 * ended, or after `patienceMs` milliseconds, and so sees all that had changed by the call.
 */
export function joinCalls(work: () => Promise<void>, patienceMs = 10_000): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function start(): Promise<void> {
    next = undefined;
    const started = work().finally(() => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }
  return () => {
    if (next !== undefined) return next;
    if (current === undefined) return start();
    next = waitPatiently(current, patienceMs).then(start, start);
    return next;
  };
}
