import type { Caller } from "../../core/caller.ts";
import type { Journal } from "../../core/store/journal.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/**
 * Adds the runs of a conversation to it whose process has ended, as far as they had come, before its next question is asked: who
 * asks does not go on with them. Rejects when the store cannot be read or written.
 */
export async function settleInterrupted(
  journal: Journal,
  store: ConversationStore,
  { conversationId, owner }: { conversationId: string } & Pick<Caller, "owner">,
): Promise<void> {
  for (const run of await journal.listInterrupted(conversationId)) {
    if (run.owner !== owner) continue;
    // Another process may have gone on with it meanwhile.
    const taken = await journal.take(run.runId);
    if (taken === undefined) continue;
    const { toInterruptedRun } = await import("../../agent/record/interrupted-run.ts");
    try {
      const conversation = await store.load(conversationId);
      await store.append(toInterruptedRun(taken, conversation?.sources));
    } catch (thrown) {
      await ignoreRejection(taken.journal.letGo?.(), "the lease of this process ends by itself");
      throw thrown;
    }
  }
}
