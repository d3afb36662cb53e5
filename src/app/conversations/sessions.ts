import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";
import type { HookSession } from "../../core/hooks.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { KeyedMutex } from "../../kit/async/semaphore.ts";
import type { ActiveRun } from "../ask/active-runs.ts";

/**
 * Holds what the process remembers of a conversation besides its words: its tools with their caches, and the notices it has
 * received.
 */
export interface Session {
  /** Lists what this conversation has been notified of: failed servers by name, and notices by code. */
  readonly reported: Set<string>;
  /** Kinds of calls that its reader has agreed to, once for all. */
  readonly approved: Set<string>;
  /** Lists the kinds of calls that its reader has refused once for all. */
  readonly refused: Set<string>;
  /** Lists the names of tools that were loaded for it, in order, when there are too many to be listed. */
  readonly loaded: Set<string>;
  /** Holds what hooks have said when the process took up the conversation. */
  readonly hooks: HookSession;
}

/** Maps the keys of conversations to sessions. */
export interface Sessions {
  of(key: string, isNew: boolean): Session;
  /** Returns the session that the process has; undefined for a conversation that it has not taken up. */
  find(key: string): Session | undefined;
  forget(key: string): void;
}

/**
 * Returns a key that distinguishes a conversation from every other one, whatever its ID. One owner cannot find data of another.
 */
export function toConversationKey({ owner }: Pick<Caller, "owner">, conversationId: string): string {
  return JSON.stringify([owner ?? null, conversationId]);
}

/**
 * Creates one session per conversation when the conversation begins. The least recently used sessions are forgotten beyond
 * `max`.
 */
export function createSessions(max = 1000): Sessions {
  const sessions = new LRUCache<string, Session>({ max });
  return {
    of(key, isNew) {
      // A conversation that was removed may begin again under its id; what it had searched is gone with it.
      const known = isNew ? undefined : sessions.get(key);
      const session = known ?? {
        reported: new Set(),
        approved: new Set(),
        refused: new Set(),
        loaded: new Set(),
        hooks: { source: isNew ? "startup" : "resume" },
      };
      sessions.set(key, session);
      return session;
    },
    find: (key) => sessions.get(key),
    forget: (key) => void sessions.delete(key),
  };
}

/** Holds a conversation, and how long its turn was waited for, in milliseconds. */
export interface LoadedConversation {
  known: Conversation | undefined;
  waitedMs: number;
}

interface LoadOptions {
  caller: Caller;
  going: ActiveRun;
  mutex: KeyedMutex;
  /** Opens what machines share, among it whose turn it is; absent where this machine has its own. */
  findRecords: FindRecords | undefined;
  /** Is the current branch when it is absent. */
  branch: number | undefined;
  /** Is the turn that the next one follows, in place of the last one of the branch. */
  after: number | undefined;
}

/**
 * Loads a conversation. Two replies to the same waiting plan are handled one after the other, and the second sees the state that
 * the first left. `store` is the caller's.
 */
export async function loadConversation(
  store: ConversationStore,
  conversationId: string | undefined,
  { caller, going, mutex, findRecords, branch, after }: LoadOptions,
): Promise<LoadedConversation> {
  if (conversationId === undefined) return { known: undefined, waitedMs: 0 };
  const known = await store.load(conversationId, branch, after);
  if (known?.pendingPlan === undefined) return { known, waitedMs: 0 };
  const began = performance.now();
  const key = toConversationKey(caller, conversationId);
  // Who is cancelled meanwhile needs no turn any more.
  going.atEnd(await mutex(key, going.signal).catch(() => () => {}));
  if (findRecords) await waitForTurn(findRecords, key, going);
  const waitedMs = performance.now() - began;
  return { known: await store.load(conversationId, branch, after), waitedMs };
}

/** Waits until no other machine handles a reply to the plan either. Without the records this process counts alone. */
async function waitForTurn(findRecords: FindRecords, key: string, going: ActiveRun): Promise<void> {
  const turn = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  going.atEnd(over.resolve);
  async function takeTurn(): Promise<void> {
    const records = await findRecords();
    await records.exclusively("plan", key, going.signal, () => {
      turn.resolve();
      return over.promise;
    });
  }
  const taken = ignoreRejection(
    takeTurn(),
    "the run is refused where it has to be recorded, and the store cannot be used",
  );
  await Promise.race([turn.promise, taken]);
}
