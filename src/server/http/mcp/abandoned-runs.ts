import type { Caller } from "../../../core/caller.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";

/** Stops what a request of a session has begun, or all requests of it. */
export type StopRuns = (
  request: { sessionId: string; requestId?: string | number | undefined },
  caller: Caller,
) => Promise<void>;

/** Stops runs whose client has gone. */
export interface AbandonedRuns {
  /** Stops the runs of a request, or of a session, after so many milliseconds, or when this process ends. */
  stopLater(request: Parameters<StopRuns>[0], caller: Caller, ms: number): void;
  /** Stops at once what is to be stopped later. Never rejects. */
  stopNow(): Promise<unknown>;
}

export function createAbandonedRuns(stopRuns: StopRuns | undefined): AbandonedRuns {
  const due = new Set<() => Promise<void>>();
  return {
    stopLater(request, caller, ms) {
      const stop = (): Promise<void> => {
        clearTimeout(timer);
        due.delete(stop);
        return stopAbandoned(stopRuns, request, caller);
      };
      const timer = setTimeout(stop, ms).unref();
      due.add(stop);
    },
    stopNow: () => Promise.allSettled([...due].map((stop) => stop())),
  };
}

/** Never rejects. */
async function stopAbandoned(stopRuns: StopRuns | undefined, ...request: Parameters<StopRuns>): Promise<void> {
  await ignoreRejection(stopRuns?.(...request), "the monitor of the store reports it, and the run goes on");
}
