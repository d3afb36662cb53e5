import type { Outcome } from "../core/run/outcome.ts";
import type { AgentTrace } from "../core/run/trace.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { createWaitLimit, waitAbortable } from "../kit/async/timeout.ts";
import type { Locale } from "../kit/locale.ts";
import type { RunHandle } from "./live/run-handle.ts";
import { toFinishedOutcome } from "./outcomes/finished-outcome.ts";
import { joinOutcomes } from "./outcomes/join-outcomes.ts";
import type { CallerScope } from "./run-service.ts";

/**
 * Returns the ID of the last run that goes on with this one, which is its own where none does. Each run names the one with which it goes
 * on: in this process, in the records of a run that has not ended, and in the trace of one that has. Never rejects.
 */
export async function findLastId(scope: CallerScope, runId: string): Promise<string> {
  const limit = createWaitLimit(longestLookMs);
  let last = runId;
  try {
    for (;;) {
      const looking = waitAbortable(findNextId(scope, last), limit.signal);
      const next = await ignoreRejection(looking, "reading the result reports what is wrong with the store");
      if (next === undefined) return last;
      last = next;
    }
  } finally {
    limit.clear();
  }
}

/** Limits how long a store is asked, in milliseconds: what this process knows of the run itself must not wait for one that hangs. */
const longestLookMs = 3000;

async function findNextId(scope: CallerScope, runId: string): Promise<string | undefined> {
  const { duet, runs, caller } = scope;
  for (const run of runs.listRuns(caller)) if (run.goesOnWith === runId) return run.id;
  const known = runs.find(runId, caller);
  if (known && !(known.outcome && canGoOn(known.outcome))) return undefined;
  const trace = await duet.trace(runId, caller);
  if (trace === undefined || !canGoOn(trace)) return undefined;
  return (await findGoingNext(scope, trace)) ?? (await findEndedNext(scope, trace));
}

/** A run with which no other goes on is looked for no further. */
function canGoOn({ status, limit }: Pick<Outcome, "status" | "limit">): boolean {
  return status === "partial" && limit !== undefined;
}

/** Finds a run of another process, or of one that has ended. */
async function findGoingNext(
  { duet: { storedRuns }, followed, resumer, caller }: CallerScope,
  { run_id, conversation_id }: AgentTrace,
): Promise<string | undefined> {
  const going = await followed.list(caller);
  const next = going.find(({ goesOnWith }) => goesOnWith === run_id);
  if (next !== undefined || !storedRuns.areRecorded) return next?.id;
  const interrupted = await storedRuns.listInterrupted(conversation_id);
  const found = interrupted.find(({ header }) => header.goesOnWith === run_id);
  return found && (await resumer.find(found.runId, caller))?.runId;
}

/** Limits how many of the later runs of a conversation are read, the oldest first: those that go on with one begin right behind it. */
const mostLater = 10;

async function findEndedNext(
  { duet, caller }: CallerScope,
  { run_id, conversation_id: conversationId }: AgentTrace,
): Promise<string | undefined> {
  const entries = await (await duet.store(caller)).runs({ conversationId });
  const place = entries.findIndex(({ id }) => id === run_id);
  for (const { id } of entries.slice(place + 1, place + 1 + mostLater))
    if ((await duet.trace(id, caller))?.goes_on_with === run_id) return id;
  return undefined;
}

/** Reads the stored end of a run, and of those with which it goes on, as one. Undefined where it is not stored. */
export async function readWhole(
  scope: Pick<CallerScope, "duet" | "caller">,
  runId: string,
): Promise<{ outcome: Outcome; locale: Locale } | undefined> {
  const { duet, caller } = scope;
  const trace = await duet.trace(runId, caller);
  if (trace === undefined) return undefined;
  const locale = duet.localeFor(trace.question);
  const outcome = await addEarlier(scope, { goesOnWith: trace.goes_on_with }, toFinishedOutcome(trace, locale));
  return { outcome, locale };
}

/**
 * Adds what the runs came to with which this one goes on, where it does. Where it has begun in another process, or in an earlier one, they
 * are read from the store.
 */
export async function addEarlier(
  scope: Pick<CallerScope, "duet" | "caller">,
  run: Pick<RunHandle, "earlier" | "goesOnWith">,
  outcome: Outcome,
): Promise<Outcome> {
  if (run.goesOnWith !== undefined) run.earlier ??= (await readWhole(scope, run.goesOnWith))?.outcome;
  return run.earlier ? joinOutcomes(run.earlier, outcome) : outcome;
}
