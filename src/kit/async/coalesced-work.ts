import { ignoreRejection } from "./ignore-rejection.ts";
import { sleep } from "./timeout.ts";

/** Combines requests for work that come more often than the work has to run. */
export interface CoalescedWork {
  /** Requests one more run; what is requested meanwhile is done once, afterwards. */
  request(): void;
  /** Resolves when what was requested until now is done, and is undefined where all of it is; never rejects. */
  waitForPending(): Promise<void> | undefined;
  /** Drops what has not begun, and aborts the signal of what has. */
  close(): void;
}

/**
 * Runs `work` one at a time, with starts at least `pauseMs` apart; it must not reject. The last request always leads to a run.
 */
export function createCoalescedWork(work: (signal: AbortSignal) => Promise<void>, pauseMs: number): CoalescedWork {
  const closed = new AbortController();
  /** Holds the requested run that has not begun; `begun` holds the one in progress. */
  let requested: PromiseWithResolvers<void> | undefined;
  let begun: PromiseWithResolvers<void> | undefined;
  let isGoing = false;
  let lastBegan = Number.NEGATIVE_INFINITY;

  /** Rejects when it is closed meanwhile. */
  async function run(): Promise<void> {
    while (requested !== undefined) {
      const left = lastBegan + pauseMs - performance.now();
      if (left > 0) await sleep(left, closed.signal);
      begun = requested;
      requested = undefined;
      lastBegan = performance.now();
      await work(closed.signal);
      begun.resolve();
      begun = undefined;
    }
    // Before anybody can request another: what is requested later needs a run of its own.
    isGoing = false;
  }

  return {
    request() {
      if (closed.signal.aborted) return;
      requested ??= Promise.withResolvers();
      if (isGoing) return;
      isGoing = true;
      void ignoreRejection(run(), "waitForPending() tells whoever waits");
    },
    waitForPending: () => (requested ?? begun)?.promise,
    close() {
      closed.abort();
      begun?.resolve();
      requested?.resolve();
      requested = undefined;
    },
  };
}
