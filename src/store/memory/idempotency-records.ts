import {
  type IdempotencyRecord,
  type IdempotencyRecords,
  longestRecordMs,
} from "../../core/store/idempotency-records.ts";

export interface MemoryIdempotencyRecords {
  of(owner: string | undefined): IdempotencyRecords;
  /** Runs when the run has been stored. */
  settle(runId: string): void;
  /** Removes the records of runs that continue this conversation. */
  removeOf(conversationId: string): void;
}

interface MemoryRecord extends IdempotencyRecord {
  owner: string | undefined;
  conversationId: string | undefined;
}

/** Creates records that live as long as the process. */
export function createMemoryIdempotencyRecords(): MemoryIdempotencyRecords {
  const records = new Map<string, MemoryRecord>();
  const settle = (runId: string): void => void records.delete(runId);

  function removeOldest(): void {
    const oldest = new Date(Date.now() - longestRecordMs).toISOString();
    for (const { runId, begunAt } of records.values()) if (begunAt < oldest) settle(runId);
  }

  return {
    settle,
    removeOf(wanted) {
      for (const { runId, conversationId } of records.values()) if (conversationId === wanted) settle(runId);
    },
    of: (owner) => ({
      async add({ runId, beginning, conversationId }) {
        removeOldest();
        for (const { owner: whose, conversationId: _, ...record } of records.values())
          if (whose === owner && record.runId.startsWith(beginning)) return record;
        records.set(runId, { runId, begunAt: new Date().toISOString(), owner, conversationId });
        return undefined;
      },
      async remove(runId) {
        if (records.get(runId)?.owner === owner) settle(runId);
      },
    }),
  };
}
