import type { Outcome } from "../core/run/outcome.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { sleep } from "../kit/async/timeout.ts";
import type { RunHandle } from "./live/run-handle.ts";
import { toFinishedOutcome } from "./outcomes/finished-outcome.ts";
import { addPlanToken } from "./outcomes/outcome-for.ts";
import type { CallerScope } from "./run-service.ts";

/**
 * Limits how long a run is looked for that left this process, in milliseconds: the lease of a process, and the look of another one for
 * runs to take over.
 */
const longestMoveMs = 10_000;

/** Is how often it is looked for, in milliseconds. */
const lookEveryMs = 250;

/** Is where a run goes on, or how it has ended there meanwhile. */
export type MovedRun = { run: RunHandle; kept?: undefined } | { run?: undefined; kept: Outcome };

/**
 * Finds a run that goes on in another process, for a request that has waited for it in this one. Undefined where it is still here, and
 * where it is not found in time. Never rejects.
 */
export async function findMoved(
  scope: CallerScope,
  run: RunHandle,
  signal: AbortSignal,
): Promise<MovedRun | undefined> {
  const until = performance.now() + longestMoveMs;
  while (run.isMoved && !scope.followed.closing.aborted && !signal.aborted && performance.now() < until) {
    const found = await ignoreRejection(lookFor(scope, run.id), "the next look tries again");
    if (found !== undefined) return found;
    const over = AbortSignal.any([signal, scope.followed.closing]);
    await ignoreRejection(sleep(lookEveryMs, over), "the loop sees that nobody waits any more");
  }
  return undefined;
}

/**
 * Returns what ends the wait for a run before its own window does: whoever asks a process that closes for a run of another one asks again,
 * and comes to one that stays. Who has waited for a run that has left this process gets its answer as long as that is there.
 */
export function findEndOfWait(
  { runs }: Pick<CallerScope, "runs">,
  run: Pick<RunHandle, "isElsewhere">,
  hasLeft = false,
): AbortSignal | undefined {
  return run.isElsewhere && !hasLeft ? runs.closing : undefined;
}

async function lookFor(scope: CallerScope, runId: string): Promise<MovedRun | undefined> {
  const { duet, runs, followed, caller } = scope;
  const run = runs.find(runId, caller) ?? (await followed.find(runId, caller));
  if (run !== undefined) return { run };
  const trace = await duet.trace(runId, caller);
  return trace && { kept: await addPlanToken(scope, toFinishedOutcome(trace, duet.localeFor(trace.question))) };
}
