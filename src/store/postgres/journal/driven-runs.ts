import { LostRunError } from "../../../core/store/journal.ts";
import { type OwnedRun, toKey } from "./lease.ts";

/** Is a run that this process drives. */
export interface DrivenRun {
  readonly runId: string;
  readonly epoch: number;
  /** Aborts when the run is not this process's any more. */
  readonly moved: AbortSignal;
}

/** Knows what this process drives, and compares it with what the database says that it holds. */
export interface DrivenRuns {
  /** Adds a run that this process has got. What it still does of it in an earlier epoch ends. */
  add(runId: string, epoch: number): DrivenRun;
  /** Gives a run up: it belongs to another process, was let go, or could not be recorded. */
  remove(run: DrivenRun): void;
  /** Forgets a run that has ended in order, in the epoch that is given or in any. */
  end(runId: string, epoch?: number): void;
  /** Expects a run that is about to be held. Returns a function that ends this. `undefined` stands for any run. */
  expect(runId: string | undefined): () => void;
  /** Is to be called before the database is asked, and the function that it returns with the answer. It returns what has to be let go. */
  compare(): (held: readonly OwnedRun[]) => OwnedRun[];
}

export function createDrivenRuns(): DrivenRuns {
  const driven = new Map<string, DrivenRun & { controller: AbortController }>();
  const expected = new Set<{ runId: string | undefined }>();
  /** Holds what was held and not driven at the last look. */
  let undriven = new Set<string>();

  function removeRun({ runId, epoch }: Pick<DrivenRun, "runId" | "epoch">): void {
    const run = driven.get(runId);
    if (run?.epoch !== epoch) return;
    driven.delete(runId);
    run.controller.abort(new LostRunError(runId));
  }

  const isExpected = (runId: string): boolean =>
    [...expected].some((each) => each.runId === undefined || each.runId === runId);

  return {
    add(runId, epoch) {
      const earlier = driven.get(runId);
      if (earlier !== undefined) removeRun(earlier);
      const controller = new AbortController();
      const run = { runId, epoch, moved: controller.signal, controller };
      driven.set(runId, run);
      return run;
    },
    remove: removeRun,
    end(runId, epoch = driven.get(runId)?.epoch) {
      if (driven.get(runId)?.epoch === epoch) driven.delete(runId);
    },
    expect(runId) {
      const entry = { runId };
      expected.add(entry);
      return () => void expected.delete(entry);
    },
    compare() {
      const before = [...driven.values()];
      const wasExpected = new Set(expected);
      return (held) => {
        const keys = new Set(held.map(toKey));
        for (const run of before) if (!keys.has(toKey({ run: run.runId, epoch: run.epoch }))) removeRun(run);
        const isNew = ({ run }: OwnedRun): boolean =>
          isExpected(run) || [...wasExpected].some(({ runId }) => runId === undefined || runId === run);
        const unknown = held.filter((row) => driven.get(row.run)?.epoch !== row.epoch && !isNew(row));
        const again = unknown.filter((row) => undriven.has(toKey(row)));
        undriven = new Set(unknown.map(toKey));
        return again;
      };
    },
  };
}
