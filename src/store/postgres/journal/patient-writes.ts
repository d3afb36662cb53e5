import { isPassing, isUnreachable } from "../../errors/store-error.ts";
import { longestOutageMs } from "../../sql/connection.ts";
import type { Reachability } from "../reachability.ts";

/**
 * Repeats a write until it works, while the database cannot be reached or has no time for it, so it must be one that adds nothing the
 * second time. `size` is what it holds in memory meanwhile, in UTF-16 units.
 */
export type PatientWrite = <T>(size: number, write: () => Promise<T>) => Promise<T>;

/** Limits what waits, in UTF-16 units. What comes on top is tried once. */
const mostWaiting = 64_000_000;

export function createPatientWrites({ waitUntilBack }: Pick<Reachability, "waitUntilBack">): PatientWrite {
  let waiting = 0;

  async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
    const until = performance.now() + longestOutageMs;
    for (;;) {
      try {
        return await write();
      } catch (thrown) {
        const mayWork = isPassing(thrown) || isUnreachable(thrown);
        if (!mayWork || performance.now() >= until) throw thrown;
      }
      await waitUntilBack(until - performance.now());
    }
  }

  return async (size, write) => {
    if (waiting + size > mostWaiting) return write();
    waiting += size;
    try {
      return await retryWrite(write);
    } finally {
      waiting -= size;
    }
  };
}
