/**
 * Records the runs that began with an idempotency key and have no stored end. A killed process leaves its record behind.
 * `append` removes the record of its run.
 */
export interface IdempotencyRecords {
  /**
   * Adds a record of a run that is about to begin. When there is a record of a run whose id has the same beginning, returns that
   * one and adds nothing. Of several concurrent calls, in any process, only one returns undefined.
   */
  add(run: NewIdempotencyRecord): Promise<IdempotencyRecord | undefined>;
  /** Removes the record of a run that did not begin after all. */
  remove(runId: string): Promise<void>;
}

/** Holds what a store is to keep of a request with an idempotency key. */
export interface NewIdempotencyRecord {
  runId: string;
  /** Is the conversation that the run continues, with which the record is removed. It is absent for a new conversation. */
  conversationId?: string | undefined;
  /** The ids of all runs with the same key begin with this text. */
  beginning: string;
}

/** Holds the run that a request with an idempotency key has begun. */
export interface IdempotencyRecord {
  runId: string;
  /** Holds ISO 8601, UTC. */
  begunAt: string;
}

/** Names the methods of `IdempotencyRecords` as earlier stores do. */
export interface EarlierIdempotencyRecords {
  mark: IdempotencyRecords["add"];
  unmark: IdempotencyRecords["remove"];
}

/** Returns the idempotency records of a store, which an earlier store offers under other names. */
export function getIdempotencyRecords({
  idempotency,
  begun,
}: {
  readonly idempotency?: IdempotencyRecords;
  readonly begun?: EarlierIdempotencyRecords;
}): IdempotencyRecords | undefined {
  if (idempotency !== undefined || begun === undefined) return idempotency;
  return { add: (run) => begun.mark(run), remove: (runId) => begun.unmark(runId) };
}

/** Records expire after a week, in milliseconds. No client repeats a request after that. */
export const longestRecordMs = 7 * 24 * 60 * 60 * 1000;
