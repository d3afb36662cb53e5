import { LRUCache } from "lru-cache";

/** What the process remembers of a conversation beside its words: its tools with their caches, what it was told. */
export interface Session {
  /** Servers whose failure this conversation has been told. */
  readonly told: Set<string>;
}

export type Sessions = (conversationId: string) => Session;

/** One session a conversation, made when first asked for; the least recently used are forgotten beyond `max`. */
export function createSessions(max = 1000): Sessions {
  const sessions = new LRUCache<string, Session>({ max });
  return (conversationId) => {
    const session = sessions.get(conversationId) ?? { told: new Set() };
    sessions.set(conversationId, session);
    return session;
  };
}
