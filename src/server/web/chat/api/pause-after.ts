const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** Waits before a server that could not be reached is asked again: longer each time, up to eight seconds. `failures` counts from 1. */
export function pauseAfter(failures: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
  });
}
