import { LRUCache } from "lru-cache";
import { weighJson } from "./json-weight.ts";
import type { RunHandle } from "./run-handle.ts";

/** The runs that have ended, as long as they are kept: by time, by number and by size. The store has the traces of all. */
export interface FinishedRuns {
  add(run: RunHandle): void;
  get(id: string): RunHandle | undefined;
  has(id: string): boolean;
  values(): Iterable<RunHandle>;
}

export interface FinishedRunsOptions {
  /** How long an end is kept, in milliseconds. */
  keepMs: number;
  /** Called for each that is kept no longer. */
  onForget(run: RunHandle): void;
  sizes?: FinishedRunsSizes | undefined;
}

/** How much is kept at a time, in UTF-16 units (two bytes at most). */
export interface FinishedRunsSizes {
  ends: number;
  /** Events, for readers who come back. */
  events: number;
}

const usual: FinishedRunsSizes = { ends: 32_000_000, events: 16_000_000 };

const mostKept = 1000;

/** How long the events of a run are kept: whoever watches has seen the end by then. */
const keepEventsMs = 60_000;

/** What is too big to be kept lives on only in the requests that read it now. */
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
    sizeCalculation: ({ question, snapshot }) => weighJson(question) + weighJson(snapshot()),
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
  };
}
