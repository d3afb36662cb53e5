import type { Caller } from "../../core/caller.ts";
import type { RunService } from "../../runs/run-service.ts";
import { readResponseId } from "./ids.ts";
import { type LiveResponse, waitUntilSettled } from "./live-response.ts";

/** Limits how long a cancelled run is waited for, in milliseconds. */
export const graceMs = 2000;

/**
 * Ends what this process does for a response that is being removed: nothing more is saved of it, and its run is cancelled. Returns
 * false where that was over.
 */
export async function endResponse({ runs }: RunService, live: LiveResponse): Promise<boolean> {
  await live.forget();
  if (live.isOver && !isWaitedFor(live)) return false;
  await runs.cancel(live.run, graceMs);
  await waitUntilSettled(live, AbortSignal.timeout(graceMs));
  return true;
}

/** Returns true where the run of a response that is over waits for the results of its calls. */
function isWaitedFor({ run: { clientCalls }, response }: LiveResponse): boolean {
  const roundIndex = readResponseId(response.id)?.roundIndex ?? 0;
  return clientCalls.open !== undefined && clientCalls.open === clientCalls.rounds[roundIndex];
}

/**
 * Ends a response that another process has removed, or that could not be saved, and removes the conversation that its run leaves
 * behind by ending, unless the client has named that.
 */
export async function endRemovedResponse(service: RunService, caller: Caller, live: LiveResponse): Promise<void> {
  const isCancelled = await endResponse(service, live);
  const { run, response } = live;
  if (!isCancelled || run.conversationId === "" || response.conversation !== undefined) return;
  const store = await service.duet.store(caller);
  const left = await store.runs({ conversationId: run.conversationId });
  if (left.every(({ id }) => id === run.id)) await removeConversation(service, caller, run.conversationId);
}

/** Removes a conversation that has no response any more. */
export async function removeConversation(
  { duet, runs }: RunService,
  caller: Caller,
  conversationId: string,
): Promise<void> {
  const store = await duet.store(caller);
  if (await store.responses?.hasAny(conversationId)) return;
  await store.remove(conversationId);
  duet.forget(conversationId, caller);
  runs.forgetConversation(conversationId, caller);
}
