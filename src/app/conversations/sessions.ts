import { LRUCache } from "lru-cache";
import type { Caller } from "../../core/caller.ts";

/** What the process remembers of a conversation beside its words: its tools with their caches, what it was told. */
export interface Session {
  /** What this conversation has been told once: servers that failed, by name, and notices, by code. */
  readonly told: Set<string>;
  /** Kinds of calls that its reader has agreed to, once for all. */
  readonly approved: Set<string>;
  /** The same of those that its reader has refused. */
  readonly refused: Set<string>;
  /** The names of the tools that were loaded for it because they are too many to be listed, in order. */
  readonly loaded: Set<string>;
}

/** By a conversation's key. */
export interface Sessions {
  of(key: string, isNew: boolean): Session;
  forget(key: string): void;
}

/** What tells a conversation from every other one, whatever its id is: nothing of one owner's is found by another. */
export function toSessionKey({ owner }: Caller, conversationId: string): string {
  return JSON.stringify([owner ?? null, conversationId]);
}

/** One session a conversation, which begins with it; the least recently used are forgotten beyond `max`. */
export function createSessions(max = 1000): Sessions {
  const sessions = new LRUCache<string, Session>({ max });
  return {
    of(key, isNew) {
      // A conversation that was removed may begin again under its id; what it had searched is gone with it.
      const known = isNew ? undefined : sessions.get(key);
      const session = known ?? { told: new Set(), approved: new Set(), refused: new Set(), loaded: new Set() };
      sessions.set(key, session);
      return session;
    },
    forget: (key) => void sessions.delete(key),
  };
}
