import {
  type IdempotencyRecord,
  type IdempotencyRecords,
  longestRecordMs,
} from "../../core/store/idempotency-records.ts";

export interface MemoryIdempotencyRecords {
  of(owner: string | undefined): IdempotencyRecords;
  /** The run is kept. */
  settle(runId: string): void;
}

/** Marks for as long as the process lives. */
export function createMemoryIdempotencyRecords(): MemoryIdempotencyRecords {
  const marks = new Map<string, IdempotencyRecord & { owner: string | undefined }>();
  const settle = (runId: string): void => void marks.delete(runId);

  function prune(): void {
    const oldest = new Date(Date.now() - longestRecordMs).toISOString();
    for (const { runId, begunAt } of marks.values()) if (begunAt < oldest) settle(runId);
  }

  return {
    settle,
    of: (owner) => ({
      async mark({ runId, beginning }) {
        prune();
        for (const { owner: whose, ...mark } of marks.values())
          if (whose === owner && mark.runId.startsWith(beginning)) return mark;
        marks.set(runId, { runId, begunAt: new Date().toISOString(), owner });
        return undefined;
      },
      async unmark(runId) {
        if (marks.get(runId)?.owner === owner) settle(runId);
      },
    }),
  };
}
