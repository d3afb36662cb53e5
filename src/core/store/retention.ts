/** Says how much of the past a store keeps (`store.keepDays`, `store.maxSize`). */
export interface RetentionLimits {
  /** Counts the days after its last question for which a conversation is kept. */
  keepDays: number;
  /** Limits what is stored, in bytes. */
  maxSize: number;
}

/** Keeps everything. */
export const keepAll: RetentionLimits = { keepDays: 36_500, maxSize: Number.MAX_SAFE_INTEGER };

/** Removes old conversations. It never removes one that a person has named or pinned. */
export interface Retention {
  readonly limits: RetentionLimits;
  /** Returns the conversations that `prune` would remove now, the longest unused first. Changes nothing. */
  listExpired(): Promise<ExpiredConversation[]>;
  /**
   * Removes them in small steps, between which others get their turn, and gives the space back. Returns how many were removed.
   * Stops between two steps when the signal aborts.
   */
  prune(signal?: AbortSignal): Promise<number>;
  /** Returns how much is stored now, in bytes. */
  measure(): Promise<number>;
  /** Resolves when what is removed in the background at this moment is removed. Never rejects. */
  settled(): Promise<void>;
}

export interface ExpiredConversation {
  id: string;
  /** Is undefined for the operator. */
  owner: string | undefined;
  title: string;
  /** Holds ISO 8601, UTC. */
  updatedAt: string;
  /** Is about what it takes, in bytes. */
  bytes: number;
  reason: "age" | "size";
}

export const dayMs = 86_400_000;

/** A conversation that was used this recently is never removed for its size, in milliseconds. */
export const inUseMs = 3_600_000;
