import type { Mutable } from "../../../kit/mutable.ts";
import type { Run } from "../../run.ts";

/** Counts how many calls of a turn may still run. */
export interface CallAllowance {
  readonly left: number;
  /** Counts the calls of the turn that are made side by side. */
  readonly sideBySide: number;
  /** Counts one more call, where it may run. Nobody waits for the place of a held call: it is made only after all others. */
  reserve(isHeld?: boolean): CallPlace | undefined;
  /** Waits for a place that a call under way gives back. Resolves to undefined once they all were made, and when the signal aborts. */
  waitForPlace(signal: AbortSignal): Promise<CallPlace | undefined>;
}

/** Is the place of one call among those that may run. */
export interface CallPlace {
  /** Ends the call, which gives its place back where it was not made. Call this once. */
  settle(isMade: boolean): void;
}

/** Allows a turn of the run this many calls. Each one that is reserved counts for the whole run. */
export function createCallAllowance(
  { state: { statistics } }: Run,
  allowed: number,
  sideBySide: number,
): CallAllowance {
  /** Counts the calls under way that may still give their places back. */
  let open = 0;
  const waiting = new Set<(place: CallPlace | undefined) => void>();

  function resolveWaiting(): void {
    for (const resolve of waiting) {
      if (allowance.left <= 0 && open > 0) return;
      waiting.delete(resolve);
      resolve(reserve());
    }
  }

  function reserve(isHeld = false): CallPlace | undefined {
    if (allowance.left <= 0) return undefined;
    allowance.left -= 1;
    statistics.addToolCall();
    if (!isHeld) open += 1;
    return {
      settle(isMade) {
        if (!isHeld) open -= 1;
        if (!isMade) {
          allowance.left += 1;
          statistics.removeToolCall();
        }
        resolveWaiting();
      },
    };
  }

  const allowance: Mutable<CallAllowance> = {
    sideBySide,
    left: allowed,
    reserve,
    async waitForPlace(signal) {
      if (open === 0 || signal.aborted) return undefined;
      const { promise, resolve } = Promise.withResolvers<CallPlace | undefined>();
      const stopWaiting = (): void => {
        waiting.delete(resolve);
        resolve(undefined);
      };
      waiting.add(resolve);
      signal.addEventListener("abort", stopWaiting, { once: true });
      const place = await promise;
      signal.removeEventListener("abort", stopWaiting);
      return place;
    },
  };
  return allowance;
}
