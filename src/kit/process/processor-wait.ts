import { readFileSync } from "node:fs";

/**
 * Returns how long the main thread has waited for a processor since it began, in milliseconds (Linux, `/proc/self/schedstat`).
 * Returns 0 where the platform does not tell.
 */
export function readProcessorWaitMs(): number {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6 || 0;
  } catch {
    return 0;
  }
}
