import type { Outcome } from "../../core/run/outcome.ts";
import type { RunHandle } from "./run-handle.ts";

/** Resolves once `isReached`, which is asked after each event, once the run has ended, or when the signal aborts. Never rejects. */
export async function waitUntil(
  run: Pick<RunHandle, "outcome" | "waitForEvent">,
  isReached: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (run.outcome === undefined && !isReached() && !signal.aborted) await run.waitForEvent(signal);
}

/** Resolves with the outcome of the run once it has ended, or with undefined when the signal aborts before. Never rejects. */
export async function waitForEnd(
  run: Pick<RunHandle, "outcome" | "waitForChange">,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  while (run.outcome === undefined && !signal.aborted) await run.waitForChange(signal);
  return run.outcome;
}
