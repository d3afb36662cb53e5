import { LRUCache } from "lru-cache";

/** What the process remembers of a conversation beside its words: its tools with their caches, what it was told. */
export interface Session {
  /** What this conversation has been told once: servers that failed, by name, and notices, by code. */
  readonly told: Set<string>;
  /** Kinds of calls that its reader has agreed to, once for all. */
  readonly approved: Set<string>;
  /** The names of the tools that were loaded for it because they are too many to be listed, in order. */
  readonly loaded: Set<string>;
}

export type Sessions = (conversationId: string, isNew: boolean) => Session;

/** One session a conversation, which begins with it; the least recently used are forgotten beyond `max`. */
export function createSessions(max = 1000): Sessions {
  const sessions = new LRUCache<string, Session>({ max });
  return (conversationId, isNew) => {
    // A conversation that was removed may begin again under its id; what it had searched is gone with it.
    const known = isNew ? undefined : sessions.get(conversationId);
    const session = known ?? { told: new Set(), approved: new Set(), loaded: new Set() };
    sessions.set(conversationId, session);
    return session;
  };
}
