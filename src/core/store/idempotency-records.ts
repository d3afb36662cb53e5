/**
 * Runs that were begun for a key of their asker's, and whose end is not kept: a process that is killed leaves the mark behind. The
 * `append` of a run takes its mark away.
 */
export interface IdempotencyRecords {
  /**
   * Marks a run that is about to begin; where one whose id begins so is marked already, gives that one and marks nothing. Of
   * many who ask at a time, in whichever process, one is given none.
   */
  mark(run: NewIdempotencyRecord): Promise<IdempotencyRecord | undefined>;
  /** Takes the mark of a run away that was not begun after all. */
  unmark(runId: string): Promise<void>;
}

export interface NewIdempotencyRecord {
  runId: string;
  /** How the ids of all runs of the same key begin. */
  beginning: string;
}

export interface IdempotencyRecord {
  runId: string;
  /** ISO 8601, UTC. */
  begunAt: string;
}

/** How long a mark stands, in milliseconds: a week. Nobody sends a request again after that. */
export const longestRecordMs = 7 * 24 * 60 * 60 * 1000;
