/** Calls `work` after `ms` milliseconds, unless the returned function is called before. */
export type Schedule = (ms: number, work: () => void) => () => void;

export interface RetryTimer {
  /** Begins to wait for the next attempt, unless it is waited for already. */
  start(): void;
  /** Ends the waiting; the next pause is the first one again. */
  stop(): void;
}

/** Limits the pause between two attempts, in milliseconds. It doubles after each. */
export const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/** Tries until it works, after pauses that grow. `attempt` resolves to true when it has worked, and does not reject. */
export function createRetryTimer(attempt: () => Promise<boolean>, schedule: Schedule = scheduleTimer): RetryTimer {
  let pauseMs = firstPauseMs;
  let cancel: (() => void) | undefined;

  function start(): void {
    cancel ??= schedule(pauseMs, () => {
      cancel = undefined;
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      void attempt().then((isDone) => isDone || start());
    });
  }

  return {
    start,
    stop() {
      cancel?.();
      cancel = undefined;
      pauseMs = firstPauseMs;
    },
  };
}

/** The process does not wait for it. */
function scheduleTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}
