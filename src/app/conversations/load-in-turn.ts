import type { Caller } from "../../core/caller.ts";
import type { Conversation, ConversationStore } from "../../core/store/store.ts";
import type { KeyedMutex } from "../../kit/async/keyed-mutex.ts";
import type { ActiveRun } from "../active-runs.ts";
import { toSessionKey } from "./sessions.ts";

/** Holds a conversation, and how long its turn was waited for, in milliseconds. */
export interface LoadedConversation {
  known: Conversation | undefined;
  waitedMs: number;
}

/**
 * Loads a conversation. Two replies to the same waiting plan are handled one after the other, and the second sees the state that
 * the first left. `store` is the caller's.
 */
export async function loadConversation(
  store: ConversationStore,
  conversationId: string | undefined,
  { caller, going, mutex }: { caller: Caller; going: ActiveRun; mutex: KeyedMutex },
): Promise<LoadedConversation> {
  if (conversationId === undefined) return { known: undefined, waitedMs: 0 };
  const known = await store.load(conversationId);
  if (known?.pendingPlan === undefined) return { known, waitedMs: 0 };
  const began = performance.now();
  // Who is cancelled meanwhile needs no turn any more.
  going.atEnd(await mutex(toSessionKey(caller, conversationId), going.signal).catch(() => () => {}));
  const waitedMs = performance.now() - began;
  return { known: await store.load(conversationId), waitedMs };
}
