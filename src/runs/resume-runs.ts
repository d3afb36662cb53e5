import { type ResumableRun, toResumedRequest } from "../app/ask/resume-run.ts";
import type { StoredRuns } from "../app/conversations/stored-runs.ts";
import type { Duet } from "../app/duet.ts";
import type { Caller } from "../core/caller.ts";
import type { Entrance, TakenRun } from "../core/store/journal.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { createRandomHex } from "../kit/random.ts";
import type { RunHandle } from "./live/run-handle.ts";
import type { RunRegistry } from "./run-registry.ts";

/** Goes on with runs whose process has ended. */
export interface Resumer {
  /**
   * Goes on with the runs of this interface that a crash has interrupted not long ago. Resolves when each of them is known to the
   * registry, and at once from the second call on. Is undefined where there is nothing to wait for. Never rejects.
   */
  resumeAll(): Promise<void> | undefined;
  /** Looks once more, for runs of a process that has ended meanwhile. Never rejects. */
  look(): Promise<void>;
  /** Calls the listener with the runs that this process has taken from another one. */
  onTaken(listener: (runs: readonly TakenRun[]) => void): void;
  /** Goes on with a run, however old. Undefined where it is not interrupted, or somebody else's. */
  resume(runId: string, caller: Caller): Promise<RunHandle | undefined>;
  /** Returns a run that is interrupted and does not go on by itself. Rejects when the store cannot be read. */
  find(runId: string, caller: Caller): Promise<ResumableRun | undefined>;
}

export interface ResumerOptions {
  duet: Pick<Duet, "ask">;
  storedRuns: Pick<StoredRuns, "areRecorded" | "listInterrupted" | "findInterrupted" | "takeInterrupted"> &
    Partial<Pick<StoredRuns, "takeOver" | "areShared">>;
  runs: Pick<RunRegistry, "begin" | "find" | "prepare"> & Partial<Pick<RunRegistry, "closing" | "countFree">>;
  entrance: Entrance;
  /** Is how long a question of a run waits for its answer, in milliseconds. */
  patienceMs: number;
}

export function createResumer({ duet, storedRuns, runs, entrance, patienceMs }: ResumerOptions): Resumer {
  /** Holds what is being taken, so that two requests at once get one run. */
  const taking = new Map<string, Promise<RunHandle | undefined>>();
  const listeners: ((runs: readonly TakenRun[]) => void)[] = [];
  let first: Promise<void> | undefined;
  let isOver = false;

  function reportTaken(taken: readonly TakenRun[]): void {
    for (const tell of listeners) tell(taken);
  }

  async function take(runId: string): Promise<RunHandle | undefined> {
    const taken = await storedRuns.takeInterrupted(runId);
    if (taken && storedRuns.areShared) reportTaken([taken]);
    return taken && continueRun(taken);
  }

  /** Goes on with a run that this process has just taken. */
  async function continueRun(taken: TakenRun): Promise<RunHandle> {
    try {
      return await beginAgain(taken);
    } catch (thrown) {
      // The server closes, for instance.
      await ignoreRejection(taken.journal.letGo?.(), "the lease of this process ends by itself");
      throw thrown;
    }
  }

  async function beginAgain(taken: TakenRun): Promise<RunHandle> {
    const { caller = {}, recording, resumed, ...request } = toResumedRequest(taken);
    await runs.prepare(caller, true);
    return runs.begin({
      id: taken.runId,
      key: recording?.key ?? createRandomHex(),
      wantedConversationId: taken.header.wantedConversationId,
      caller,
      locale: taken.header.locale,
      entrance: taken.header.entrance,
      onDisconnect: taken.header.onDisconnect,
      goesOnWith: taken.header.goesOnWith,
      resumed,
      request,
      canAsk: (kind) => taken.header.asks.includes(kind),
      patienceMs,
      ask: (asked) => duet.ask(asked),
    });
  }

  function takeOnce(runId: string): Promise<RunHandle | undefined> {
    const known = taking.get(runId);
    if (known !== undefined) return known;
    const run = take(runId).finally(() => taking.delete(runId));
    taking.set(runId, run);
    return run;
  }

  async function resumeOwn(): Promise<void> {
    if (runs.closing?.aborted) return;
    if (storedRuns.areShared && storedRuns.takeOver) {
      const taken = (await storedRuns.takeOver({ entrance, most: runs.countFree?.() ?? 1 })) ?? [];
      if (taken.length > 0) reportTaken(taken);
      await Promise.all(taken.map((run) => ignoreRejection(continueRun(run), "another process goes on with it")));
      return;
    }
    const interrupted = await storedRuns.listInterrupted();
    const own = interrupted.filter(({ header, isOld }) => header.entrance === entrance && !isOld);
    await Promise.all(own.map(({ runId }) => ignoreRejection(takeOnce(runId), "the next process tries again")));
  }

  const look = async (): Promise<void> =>
    void (await ignoreRejection(resumeOwn(), "the monitor of the store reports it"));

  async function find(runId: string, { owner, tools }: Caller): Promise<ResumableRun | undefined> {
    const run = await storedRuns.findInterrupted(runId);
    // Callers of one owner may have rights to different tools.
    const isOwn = run?.owner === owner && JSON.stringify(run?.header.callerTools) === JSON.stringify(tools);
    return isOwn ? run : undefined;
  }

  return {
    look,
    onTaken: (listener) => void listeners.push(listener),
    resumeAll() {
      if (!storedRuns.areRecorded) return undefined;
      first ??= look().finally(() => {
        isOver = true;
      });
      return isOver ? undefined : first;
    },
    find,
    async resume(runId, caller) {
      const going = runs.find(runId, caller);
      if (going !== undefined) return going;
      if (taking.has(runId) || (await find(runId, caller)) !== undefined) await takeOnce(runId);
      return runs.find(runId, caller);
    },
  };
}
