import { dayMs, type ExpiredConversation, type Retention, type RetentionLimits } from "../../core/store/retention.ts";
import type { StoredConversation } from "./stored-conversation.ts";

/** Keeps the conversations of all owners, the least recently used first, as long as the limits allow. */
export interface KeptConversations {
  get(id: string): StoredConversation | undefined;
  list(): StoredConversation[];
  /** Adds a conversation, or makes it the most recently used one. */
  markUsed(conversation: StoredConversation): void;
  /** Counts bytes that a conversation takes in addition. */
  countBytes(bytes: number): void;
  /** Removes a conversation with all that belongs to it; false when there is none. */
  drop(id: string): boolean;
  /** Removes what is over the limits. */
  dropExpired(): void;
  /** Removes what was discarded and can no longer be brought back. Returns how many that were. */
  dropDue(): number;
  readonly retention: Retention;
}

export interface KeptConversationsOptions {
  /** Limits the conversations. */
  max: number;
  limits: RetentionLimits;
  /** Returns milliseconds since 1970. */
  now: () => number;
  /** Removes what else is stored of a conversation. */
  removeParts: (conversation: StoredConversation) => void;
}

/** Is how often the age of all conversations is looked at, in milliseconds. */
const ageCheckMs = 3_600_000;

export function createKeptConversations({
  max,
  limits,
  now,
  removeParts,
}: KeptConversationsOptions): KeptConversations {
  /** Holds the least recently used first. */
  const conversations = new Map<string, StoredConversation>();
  /** Counts the bytes of all conversations. */
  let stored = 0;
  let ageCheckedAt = Number.NEGATIVE_INFINITY;

  function drop(id: string): boolean {
    const kept = conversations.get(id);
    if (kept === undefined) return false;
    removeParts(kept);
    stored -= kept.bytes;
    return conversations.delete(id);
  }

  /**
   * Lists what is over the limits, the least recently used first. The conversation that was used last always stays. Without
   * `checksAge` it looks no further than the other limits need.
   */
  function listExpired(checksAge = true): ExpiredConversation[] {
    const oldest = new Date(now() - limits.keepDays * dayMs).toISOString();
    let count = conversations.size;
    let bytes = stored;
    let seen = 0;
    const expired: ExpiredConversation[] = [];
    for (const each of conversations.values()) {
      if (++seen === conversations.size || !(checksAge || count > max || bytes > limits.maxSize)) break;
      const { id, owner, title, updatedAt, isNamed, isPinned } = each;
      const isOld = updatedAt < oldest;
      if (isNamed || isPinned || !(isOld || count > max || bytes > limits.maxSize)) continue;
      count -= 1;
      bytes -= each.bytes;
      expired.push({ id, owner, title, updatedAt, bytes: each.bytes, reason: isOld ? "age" : "size" });
    }
    return expired;
  }

  function dropAll(expired: readonly { id: string }[]): number {
    for (const { id } of expired) drop(id);
    return expired.length;
  }

  function dropDue(): number {
    return dropAll([...conversations.values()].filter(({ discarded }) => discarded && discarded.until <= now()));
  }

  return {
    get: (id) => conversations.get(id),
    list: () => [...conversations.values()],
    markUsed(conversation) {
      conversations.delete(conversation.id);
      conversations.set(conversation.id, conversation);
    },
    countBytes(bytes) {
      stored += bytes;
    },
    drop,
    /** Runs with each question, so that it looks at the age of all conversations only once an hour. */
    dropExpired() {
      const checksAge = now() - ageCheckedAt >= ageCheckMs;
      if (checksAge) ageCheckedAt = now();
      dropAll(listExpired(checksAge));
    },
    dropDue,
    retention: {
      limits,
      listExpired: async () => listExpired(),
      prune: async () => dropDue() + dropAll(listExpired()),
      measure: async () => stored,
      settled: async () => {},
    },
  };
}
