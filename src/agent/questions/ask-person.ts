import { createTimeLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import type { Run } from "../run.ts";

/** How long a person may think about a question, in milliseconds; none of it is the run's time. */
const thinkingTimeMs = 10 * 60_000;

/**
 * Waits for a person's answer, outside the time of the run; undefined when there is none in time. `wait` is what is waited for,
 * for the error that the question's signal aborts with. Rejects when the run is cancelled, or as `ask` does.
 */
export function askPerson<T>(
  { clock, callerSignal }: Pick<Run, "clock" | "callerSignal">,
  wait: Text,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return clock.outsideTime(async () => {
    callerSignal.throwIfAborted();
    const limit = createTimeLimit(thinkingTimeMs, () => timeoutError(wait, thinkingTimeMs), callerSignal);
    try {
      return await waitAbortable(ask(limit.signal), limit.signal);
    } catch (thrown) {
      if (limit.expired) return undefined;
      throw thrown;
    } finally {
      limit.clear();
    }
  });
}

/** The same for questions that may come at once: each is asked when the one before it is over. */
export type AskSequentially = <T>(wait: Text, ask: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;

/** All questions of one run, whatever they are about, so that two never stand before a person at once. */
export function createAskSequentially(run: Pick<Run, "clock" | "callerSignal">): AskSequentially {
  let before: Promise<unknown> = Promise.resolve();
  return (wait, ask) => {
    const mine = before.then(() => askPerson(run, wait, ask));
    before = mine.catch(() => {});
    return mine;
  };
}
