/** Measures time that can be stopped, so that waiting for a person does not count. */
export interface StoppableClock {
  /** Returns milliseconds without those in which the clock stood. Only differences count. */
  now(): number;
  stop(): void;
  goOn(): void;
}

export function createStoppableClock(now: () => number): StoppableClock {
  let stoodMs = 0;
  let stoppedAt: number | undefined;
  return {
    now: () => (stoppedAt ?? now()) - stoodMs,
    stop() {
      stoppedAt ??= now();
    },
    goOn() {
      if (stoppedAt !== undefined) stoodMs += now() - stoppedAt;
      stoppedAt = undefined;
    },
  };
}
