import type { SourceList } from "../../core/store/conversations/conversation.ts";
import { LostRunError } from "../../core/store/journal.ts";
import type { ConversationStore, FinishedRun } from "../../core/store/store.ts";
import { UnsavedRunError } from "../../core/store/unsaved-run-error.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { StoreError } from "../../store/errors/store-error.ts";
import { createRetryTimer, firstPauseMs, type Schedule } from "./retry-timer.ts";
import { toConversationKey } from "./sessions.ts";
import { describeStoreProblem, type StoreMonitor } from "./store-monitor.ts";

/** Holds a run that could not be saved when it ended. */
export interface UnsavedRun {
  owner: string | undefined;
  /** Is the owner's part of the store itself. */
  store: ConversationStore;
  run: FinishedRun;
  /** Holds the sources of the conversation as the run knows them. */
  sources: SourceList | undefined;
}

/** Keeps runs that could not be saved, in order, and tries to save them until it works or a limit is reached. */
export interface UnsavedRuns {
  /** Saves a run, after those that wait. Throws `UnsavedRunError` where it has to wait itself, and what the store throws else. */
  append(added: UnsavedRun): Promise<void>;
  /** Returns the runs of one conversation that wait. */
  find(owner: string | undefined, conversationId: string): readonly UnsavedRun[];
  /** Returns the runs of an owner that wait, oldest first. */
  list(owner: string | undefined): readonly UnsavedRun[];
  /** Forgets the runs of a conversation that was deleted. */
  remove(owner: string | undefined, conversationId: string): void;
  /** Takes the runs of a conversation aside that may be brought back until then, in milliseconds since 1970. Returns how many wait. */
  setAside(owner: string | undefined, conversationId: string, until: number): number;
  /** Lets the runs wait again that were taken aside. Returns how many there were. */
  bringBack(owner: string | undefined, conversationId: string): number;
  /** Returns true once when earlier runs of the conversation have been saved late. */
  takeSaved(owner: string | undefined, conversationId: string): boolean;
  /** Records that the store has failed elsewhere, and tries to write it from time to time until it can be written. */
  watch(problem: DuetError): void;
  /** Tries at once to save what waits: the store can be written again. Never rejects. */
  saveNow(): Promise<void>;
  /** Tries once more, until the signal aborts, and stops trying. Returns how many runs were saved, and how many are lost. */
  close(signal: AbortSignal): Promise<{ saved: number; lost: number }>;
}

export interface UnsavedRunsOptions {
  monitor: StoreMonitor;
  /** Writes something to the store, to find out whether it can be written. */
  probe(): Promise<void>;
  limits?: UnsavedLimits;
  schedule?: Schedule | undefined;
  now?(): number;
  /** Returns milliseconds since 1970. */
  today?(): number;
}

export interface UnsavedLimits {
  runs: number;
  /** Limits the traces, in UTF-16 units. */
  size: number;
  keepMs: number;
}

const usual: UnsavedLimits = { runs: 1000, size: 32_000_000, keepMs: 3_600_000 };

/** Limits the conversations of which it is remembered that they were saved late. */
const mostSaved = 1000;

type WaitingRun = UnsavedRun & { size: number; since: number };

export function createUnsavedRuns({
  monitor,
  probe,
  limits = usual,
  schedule,
  now = () => performance.now(),
  today = Date.now,
}: UnsavedRunsOptions): UnsavedRuns {
  let waiting: WaitingRun[] = [];
  let flushing: Promise<void> | undefined;
  let problem: DuetError | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  const timer = createRetryTimer(async () => {
    await flush();
    return problem === undefined || isClosed;
  }, schedule);
  const savedLate = new Set<string>();
  /** Holds the runs of deleted conversations that may still be brought back. */
  const aside = new Map<string, { runs: WaitingRun[]; until: number }>();

  function setWaiting(now: WaitingRun[]): void {
    waiting = now;
    monitor.countWaiting(waiting.length);
  }

  function recordFailure(found: DuetError): void {
    problem = found;
    triedAt = now();
    monitor.recordFailure(found);
  }

  function recordSuccess(): void {
    problem = undefined;
    timer.stop();
    monitor.recordSuccess();
  }

  function dropOld(): void {
    const since = now() - limits.keepMs;
    let size = waiting.reduce((sum, each) => sum + each.size, 0);
    const isTooMuch = (index: number): boolean => waiting.length - index > limits.runs || size > limits.size;
    let dropped = 0;
    for (const each of waiting) {
      if (each.since >= since && !isTooMuch(dropped)) break;
      size -= each.size;
      dropped += 1;
    }
    if (dropped === 0) return;
    setWaiting(waiting.slice(dropped));
    monitor.recordLost(dropped);
  }

  /** Saves what waits, the oldest first, until the store fails. Never rejects. */
  async function saveWaiting(): Promise<void> {
    dropOld();
    if (waiting.length === 0 && problem === undefined) return;
    try {
      if (waiting.length === 0) await probe();
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        await saveOne(first);
        setWaiting(waiting.filter((each) => each !== first));
      }
      recordSuccess();
    } catch (thrown) {
      recordFailure(toDuetError(thrown));
    }
  }

  /** Throws where it may be saved later. */
  async function saveOne({ store, run, owner }: WaitingRun): Promise<void> {
    try {
      await store.append(run);
    } catch (thrown) {
      if (isTemporary(thrown)) throw thrown;
      // It goes on in another process, which has its end.
      if (!(thrown instanceof LostRunError)) monitor.recordLost(1);
      return;
    }
    savedLate.add(toConversationKey({ owner }, run.conversationId));
    const [oldest] = savedLate;
    if (savedLate.size > mostSaved && oldest !== undefined) savedLate.delete(oldest);
    monitor.recordSaved(run.runId);
  }

  /** Runs once at a time. Callers that arrive meanwhile wait for the same attempt. */
  function flush(): Promise<void> {
    flushing ??= saveWaiting().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  function keep(added: UnsavedRun): void {
    setWaiting([...waiting, { ...added, size: JSON.stringify(added.run).length, since: now() }]);
    dropOld();
    if (!isClosed) timer.start();
  }

  async function append(added: UnsavedRun): Promise<void> {
    // A store that is locked makes each attempt wait, and the one before has only just failed.
    const isHopeless = problem !== undefined && now() - triedAt < firstPauseMs;
    if (!isHopeless && waiting.length > 0) await flush();
    if (waiting.length === 0 && !isHopeless) {
      try {
        await added.store.append(added.run);
        recordSuccess();
        return;
      } catch (thrown) {
        if (isClosed || !isTemporary(thrown)) throw thrown;
        recordFailure(toDuetError(thrown));
      }
    }
    keep(added);
    throw new UnsavedRunError(describeStoreProblem(problem, added.owner === undefined), problem);
  }

  function dropAside(): void {
    for (const [key, { until }] of aside) if (until <= today()) aside.delete(key);
  }

  const isOf = (each: UnsavedRun, owner: string | undefined, id: string): boolean =>
    each.owner === owner && each.run.conversationId === id;

  return {
    append,
    setAside(owner, id, until) {
      dropAside();
      const runs = waiting.filter((each) => isOf(each, owner, id));
      if (runs.length === 0) return 0;
      aside.set(toConversationKey({ owner }, id), { runs, until });
      setWaiting(waiting.filter((each) => !isOf(each, owner, id)));
      return runs.length;
    },
    bringBack(owner, id) {
      dropAside();
      const key = toConversationKey({ owner }, id);
      const { runs = [] } = aside.get(key) ?? {};
      aside.delete(key);
      if (runs.length === 0) return 0;
      setWaiting([...runs, ...waiting]);
      if (!isClosed) timer.start();
      return runs.length;
    },
    find: (owner, id) => waiting.filter((each) => isOf(each, owner, id)),
    list: (owner) => waiting.filter((each) => each.owner === owner),
    remove(owner, id) {
      setWaiting(waiting.filter((each) => !isOf(each, owner, id)));
      aside.delete(toConversationKey({ owner }, id));
    },
    takeSaved: (owner, id) => savedLate.delete(toConversationKey({ owner }, id)),
    watch(found) {
      recordFailure(found);
      if (!isClosed) timer.start();
    },
    saveNow: flush,
    async close(signal) {
      isClosed = true;
      timer.stop();
      const { length } = waiting;
      if (length > 0) await ignoreRejection(waitAbortable(flush(), signal), "what is not saved by then is lost");
      const lost = waiting.length;
      monitor.recordLost(lost);
      setWaiting([]);
      return { saved: length - lost, lost };
    },
  };
}

function isTemporary(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.mayPass;
}
