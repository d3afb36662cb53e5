import { sleep } from "../../kit/async/timeout.ts";
import { isBusy } from "../errors/sqlite-code.ts";

/** Does what needs a lock, as soon as nobody else holds it. Throws what the attempt throws, and SQLite's "busy" in the end. */
export type BusyRetry = <T>(attempt: () => T) => Promise<T>;

/**
 * Creates a retry that lasts `patienceMs` milliseconds while somebody else holds a lock. SQLite blocks the whole process for a
 * moment at each attempt, so of all that wait only one tries at a time, and the pauses between are theirs together.
 */
export function createBusyRetry(patienceMs: number, signal: AbortSignal): BusyRetry {
  let pause: Promise<void> | undefined;
  /** Holds what the last attempt threw, as long as none has succeeded since. */
  let lastBusy: unknown;

  return async (attempt) => {
    const end = performance.now() + patienceMs;
    for (;;) {
      const mustWait = pause !== undefined;
      while (pause !== undefined) await pause;
      if (mustWait && lastBusy !== undefined && performance.now() > end) throw lastBusy;
      try {
        const result = attempt();
        lastBusy = undefined;
        return result;
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > end) throw thrown;
        lastBusy = thrown;
      }
      pause ??= sleep(10 + Math.random() * 30, signal).finally(() => {
        pause = undefined;
      });
    }
  };
}
