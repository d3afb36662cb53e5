import type { RunUpdate, SharedRuns } from "../../core/store/shared-runs.ts";

/** Is after how long the store is asked again where it could not tell what is new, in milliseconds. */
const againMs = 500;

/** Reads what another process tells of a run. */
export interface SharedRunReader {
  /** Reads what is new. Rejects where that cannot be read. */
  readOnce(): Promise<void>;
  /** Reads until nothing is new, one read at a time: what comes during one is found by the next. Never rejects. */
  read(): Promise<void>;
  /** Reads again a little later, while the run is watched. */
  readAgain(): void;
  readonly isWatching: boolean;
  /** Reads now, and whenever there is news. */
  watch(): void;
  stopWatching(): void;
}

export interface SharedRunReaderOptions {
  shared: Pick<SharedRuns, "read" | "watch">;
  runId: string;
  /** Counts the events that are known. */
  countEvents(): number;
  /** Returns true once nothing more is wanted. */
  isDone(): boolean;
  handle(update: RunUpdate): void;
}

export function createSharedRunReader(options: SharedRunReaderOptions): SharedRunReader {
  const { shared, runId, countEvents, isDone, handle } = options;
  let reading: Promise<void> | undefined;
  let hasNews = false;
  let again: NodeJS.Timeout | undefined;
  let unwatch: (() => void) | undefined;

  async function readOnce(): Promise<void> {
    hasNews = false;
    handle(await shared.read(runId, countEvents()));
  }

  async function readAll(): Promise<void> {
    while (hasNews && !isDone()) await readOnce().catch(readAgain);
    reading = undefined;
  }

  function read(): Promise<void> {
    hasNews = true;
    reading ??= readAll();
    return reading;
  }

  /** Nobody tells again what could not be read, such as the last event of all. */
  function readAgain(): void {
    if (unwatch === undefined) return;
    again ??= setTimeout(() => {
      again = undefined;
      void read();
    }, againMs).unref();
  }

  return {
    readOnce,
    read,
    readAgain,
    get isWatching() {
      return unwatch !== undefined;
    },
    watch() {
      unwatch = shared.watch(runId, () => void read());
      void read();
    },
    stopWatching() {
      clearTimeout(again);
      again = undefined;
      unwatch?.();
      unwatch = undefined;
    },
  };
}
