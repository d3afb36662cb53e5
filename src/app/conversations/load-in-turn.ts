import type { Caller } from "../../core/caller.ts";
import type { Conversation } from "../../core/store/conversation.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import type { Turns } from "../../kit/async/keyed-mutex.ts";
import type { GoingRun } from "../active-runs.ts";
import { keyOf } from "./sessions.ts";

/** A conversation, and how long its turn was waited for, in milliseconds. */
export interface Loaded {
  known: Conversation | undefined;
  waitedMs: number;
}

/** Two replies to one plan that waits are taken one after the other; the second finds what the first has left. `store` is the caller's. */
export async function loadInTurn(
  store: ConversationStore,
  conversationId: string | undefined,
  { caller, going, turns }: { caller: Caller; going: GoingRun; turns: Turns },
): Promise<Loaded> {
  if (conversationId === undefined) return { known: undefined, waitedMs: 0 };
  const known = await store.load(conversationId);
  if (known?.pendingPlan === undefined) return { known, waitedMs: 0 };
  const began = performance.now();
  // Who is cancelled meanwhile needs no turn any more.
  going.atEnd(await turns(keyOf(caller, conversationId), going.signal).catch(() => () => {}));
  const waitedMs = performance.now() - began;
  return { known: await store.load(conversationId), waitedMs };
}
