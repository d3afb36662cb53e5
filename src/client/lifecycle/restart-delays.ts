/** How a server that fails is tried again: at growing distances, and rarely once it has failed too often. */
export interface Restarts {
  /** Counts a failed start, or the loss of a server that had been ready for `livedMs`; gives the pause before the next try. */
  failed(livedMs: number): number;
  /** Whether it has failed so often that only a call tries it again. */
  readonly isOpen: boolean;
}

const first = 250;
const factor = 4;
const failuresToOpen = 5;
/** In milliseconds. */
const openMs = 60_000;
/** Who was ready for so long has not failed in a row, in milliseconds. */
const stableMs = 10_000;

/** About 0.25, 1, 4 and 16 s, then a minute: at most six starts a minute. A quarter more or less, so that servers do not start in step. */
export function createRestarts(random: () => number = Math.random): Restarts {
  let failures = 0;
  return {
    failed(livedMs) {
      failures = livedMs >= stableMs ? 1 : failures + 1;
      const pause = failures >= failuresToOpen ? openMs : first * factor ** (failures - 1);
      return Math.round(pause * (0.75 + random() / 2));
    },
    get isOpen() {
      return failures >= failuresToOpen;
    },
  };
}
