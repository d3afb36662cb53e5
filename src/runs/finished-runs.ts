import { LRUCache } from "lru-cache";
import { weighJson } from "./bounded-json.ts";
import type { RunHandle } from "./live/run-handle.ts";

/** Keeps runs that have ended, within limits of time, number and size. The store has the traces of all runs. */
interface FinishedRuns {
  add(run: RunHandle): void;
  get(id: string): RunHandle | undefined;
  has(id: string): boolean;
  values(): Iterable<RunHandle>;
  remove(run: RunHandle): void;
}

interface FinishedRunsOptions {
  keepMs: number;
  onForget(run: RunHandle): void;
  sizes?: FinishedRunsSizes | undefined;
}

/** Limits how much is kept at a time, in UTF-16 units (two bytes at most). */
export interface FinishedRunsSizes {
  ends: number;
  /** Limits the events that are kept for readers who come back. */
  events: number;
}

/** Estimates how much memory the end of a run takes, in UTF-16 units. */
export function weighEnd({ question, asked, snapshot }: Pick<RunHandle, "question" | "asked" | "snapshot">): number {
  return weighJson(question) + weighJson(asked?.input ?? null) + weighJson(snapshot());
}

const usual: FinishedRunsSizes = { ends: 32_000_000, events: 16_000_000 };

const mostKept = 1000;

/** Limits how long the events of a run are kept, in milliseconds. By then every reader has seen the end. */
const keepEventsMs = 60_000;

/** A run that is too big to be kept stays available only to the requests that are reading it. */
export function createFinishedRuns({ keepMs, onForget, sizes = usual }: FinishedRunsOptions): FinishedRuns {
  const replays = new LRUCache<string, RunHandle>({
    maxSize: sizes.events,
    sizeCalculation: ({ eventWeight }) => 1 + eventWeight,
    ttl: keepEventsMs,
    ttlAutopurge: true,
    dispose: (run) => run.dropEvents(),
  });
  const ends = new LRUCache<string, RunHandle>({
    max: mostKept,
    maxSize: sizes.ends,
    sizeCalculation: weighEnd,
    ttl: keepMs,
    ttlAutopurge: true,
    dispose(run) {
      replays.delete(run.id);
      onForget(run);
    },
  });
  return {
    add(run) {
      replays.set(run.id, run);
      if (!replays.has(run.id)) run.dropEvents();
      ends.set(run.id, run);
      if (ends.has(run.id)) return;
      replays.delete(run.id);
      onForget(run);
    },
    get: (id) => ends.get(id),
    has: (id) => ends.has(id),
    values: () => ends.values(),
    remove: ({ id }) => void ends.delete(id),
  };
}
