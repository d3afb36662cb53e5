import type { Duet } from "../../../app/duet.ts";
import type { AgentTrace } from "../../../core/run/trace.ts";
import { firstBranch } from "../../../core/store/conversations/branches.ts";
import type { Conversation } from "../../../core/store/conversations/conversation.ts";
import { listTurnRuns } from "../../../core/store/conversations/turn-runs.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../../kit/async/timeout.ts";
import type { Offer } from "../offers.ts";
import { findInterruptedRun } from "../question/interrupted-run.ts";

/** Holds a stored conversation, and how it ended. */
export interface LastTurn {
  known: Conversation;
  /** Is the trace of the last turn's run. It is undefined where there is no turn, or none was kept. */
  trace: AgentTrace | undefined;
  /** Goes on with the last turn, where that has reached a limit. */
  offer: Offer | undefined;
}

/** Reads how a conversation ended. Returns undefined when there is no such conversation, and rejects at a stop. */
export async function readLastTurn(
  duet: Pick<Duet, "store" | "storedRuns">,
  id: string,
  signal: AbortSignal,
): Promise<LastTurn | undefined> {
  const store = await waitAbortable(duet.store(), signal);
  const known = await waitAbortable(store.load(id), signal);
  const last = known?.turns.at(-1);
  if (known === undefined) return undefined;
  if (last === undefined) return { known, trace: undefined, offer: undefined };
  const runId = (await waitAbortable(listTurnRuns(store, id, known.branch ?? firstBranch), signal)).at(-1);
  const trace = runId === undefined ? undefined : await waitAbortable(store.trace(runId), signal);
  const isLimited = trace !== undefined && (await waitAbortable(canGoOn(duet, trace, id), signal));
  const offer: Offer | undefined = isLimited
    ? { command: "/continue", question: last.question, mode: trace.mode }
    : undefined;
  return { known, trace, offer };
}

/**
 * Returns true for a run whose end has named a limit, which the traces of the first versions do not name. Where a later run of the
 * conversation is interrupted, `/continue` goes on with that one, as the chat says.
 */
async function canGoOn({ storedRuns }: Pick<Duet, "storedRuns">, trace: AgentTrace, id: string): Promise<boolean> {
  if (trace.limit === undefined) return false;
  const finding = findInterruptedRun(storedRuns, id);
  return (await ignoreRejection(finding, "it is only a hint, and the next question reports it")) === undefined;
}
