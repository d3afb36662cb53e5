import { ignoreRejection } from "./ignore-rejection.ts";
import { sleep } from "./timeout.ts";

/** Combines requests for work that come more often than the work has to run. */
export interface CoalescedWork {
  /** Asks for one more time; what is asked for meanwhile is done once, afterwards. */
  ask(): void;
  /** Settles when what was asked for until now is done, and is undefined where all of it is; never rejects. */
  settled(): Promise<void> | undefined;
  /** Drops the pending work. */
  close(): void;
}

/**
 * Runs `work` one at a time, with starts at least `pauseMs` apart; it must not reject. The last request always leads to a run.
 */
export function createCoalescedWork(work: (signal: AbortSignal) => Promise<void>, pauseMs: number): CoalescedWork {
  const closed = new AbortController();
  /** Holds the requested run that has not begun; `begun` holds the one in progress. */
  let asked: PromiseWithResolvers<void> | undefined;
  let begun: PromiseWithResolvers<void> | undefined;
  let isGoing = false;
  let lastBegan = Number.NEGATIVE_INFINITY;

  /** Rejects when it is closed meanwhile. */
  async function run(): Promise<void> {
    while (asked !== undefined) {
      const left = lastBegan + pauseMs - performance.now();
      if (left > 0) await sleep(left, closed.signal);
      begun = asked;
      asked = undefined;
      lastBegan = performance.now();
      await work(closed.signal);
      begun.resolve();
      begun = undefined;
    }
    // Before anybody can ask again: what is asked for later needs a run of its own.
    isGoing = false;
  }

  return {
    ask() {
      if (closed.signal.aborted) return;
      asked ??= Promise.withResolvers();
      if (isGoing) return;
      isGoing = true;
      void ignoreRejection(run(), "settled() tells whoever waits");
    },
    settled: () => (asked ?? begun)?.promise,
    close() {
      closed.abort();
      begun?.resolve();
      asked?.resolve();
    },
  };
}
