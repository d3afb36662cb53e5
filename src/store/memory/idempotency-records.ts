import { type BegunRun, type BegunRuns, longestMarkMs } from "../../core/store/idempotency-records.ts";

export interface MemoryMarks {
  of(owner: string | undefined): BegunRuns;
  /** The run is kept. */
  settle(runId: string): void;
}

/** Marks for as long as the process lives. */
export function createMemoryMarks(): MemoryMarks {
  const marks = new Map<string, BegunRun & { owner: string | undefined }>();
  const settle = (runId: string): void => void marks.delete(runId);

  function prune(): void {
    const oldest = new Date(Date.now() - longestMarkMs).toISOString();
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
