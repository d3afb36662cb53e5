/** The process ends at this time, whatever is still running. No deadline is set at first. */
export interface ExitDeadline {
  /** Sets it to `ms` milliseconds from now, unless an earlier one is set. */
  set(ms: number): void;
  /** Returns the milliseconds until the deadline, and undefined when none is set. */
  readonly leftMs: number | undefined;
}

/** `onReached` has to end the process. */
export function createExitDeadline(onReached: () => void): ExitDeadline {
  let at = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  return {
    set(ms) {
      const wanted = performance.now() + ms;
      if (wanted >= at) return;
      at = wanted;
      clearTimeout(timer);
      // Whoever has nothing left to do ends before it.
      timer = setTimeout(onReached, ms).unref();
    },
    get leftMs() {
      return timer === undefined ? undefined : Math.max(0, at - performance.now());
    },
  };
}
