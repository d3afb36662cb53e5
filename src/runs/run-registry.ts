import type { Caller } from "../core/caller.ts";
import type { DayBudget } from "../core/model/turn-budget.ts";
import type { Outcome } from "../core/run/outcome.ts";
import type { PlaceState } from "../core/store/run-places.ts";
import { createTimeLimit, timeoutError } from "../kit/async/timeout.ts";
import type { DuetError } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import { createFinishedRuns, type FinishedRunsSizes } from "./finished-runs.ts";
import type { CallerLimits } from "./limits/caller-limits.ts";
import type { RunPlace } from "./limits/caller-places.ts";
import { serverClosingError, tooManyRunsError, tooManyWaitingError } from "./limits/limit-errors.ts";
import type { LiveRuns } from "./live/live-run.ts";
import { isInConversation, type RunHandle } from "./live/run-handle.ts";
import { startRun } from "./live/start-run.ts";
import type { StartRunOptions } from "./live/start-run-options.ts";
import { waitForEnd } from "./live/wait-until.ts";
import { toRunningOutcome } from "./outcomes/running-outcome.ts";

export interface RunRegistry extends LiveRuns {
  listRuns(caller: Caller): Iterable<RunHandle>;
  /** Returns the known runs of all callers, for the operator. */
  listAll(): RunHandle[];
  /** Counts the caller's runs that go on, without those that wait, and those begun within the last minute where that is limited. */
  countOwn(caller: Caller): { now: number; inMinute: number };
  /** Counts the further runs that this process could carry out now. */
  countFree(): number;
  find(id: string, caller: Caller): RunHandle | undefined;
  findLatest(question: string, caller: Caller): RunHandle | undefined;
  /** Returns the caller's run that has asked its client for this call. */
  findByClientCall(callId: string, caller: Caller): RunHandle | undefined;
  /**
   * Returns the run that this caller requested with this key in this conversation, if nobody has received its outcome. Repeating
   * the request joins that run. A session joins no run that another one needs.
   */
  findSame(
    key: string,
    conversationId: string | undefined,
    caller: Caller,
    session?: object | undefined,
  ): RunHandle | undefined;
  /** Learns what the caller has used, before a run begins or goes on. Is undefined where nothing has to be learnt. Never rejects. */
  prepare(caller: Caller, isLetIn?: boolean): Promise<void> | undefined;
  /** Throws what `begin` would throw now, before work is done for a run that has yet to begin. */
  checkAdmission(caller: Caller): void;
  /** Returns what limits the caller's model turns outside of its runs, too. Is undefined where no day is counted. */
  getBudget(caller: Caller): DayBudget | undefined;
  /** Throws `overloaded` when too many runs are active or the server is closing, and `rate_limit` or `quota` when the caller has reached a limit of its own. */
  begin(wanted: Omit<StartRunOptions, "id" | "onEnd" | "onLeft"> & { id?: string | undefined }): RunHandle;
  /** Discards the ended runs of a conversation that its caller has deleted, and returns them. */
  forgetConversation(conversationId: string, caller: Caller): RunHandle[];
  /** Lists runs again that were discarded with a conversation which its caller has restored. */
  restoreRuns(runs: readonly RunHandle[]): void;
  /** Calls the listener with each conversation that is forgotten, for as long as the registry is there. */
  onForget(listener: (conversationId: string, caller: Caller) => void): void;
  /** Ends the waits of a closed connection. Returns the runs that nobody waits for any more. */
  releaseConnection(connection: object): RunHandle[];
  /** Aborts when no further run begins, because the server closes. */
  readonly closing: AbortSignal;
  /** Prevents further runs from beginning. Returns the active runs of all callers. */
  stop(): RunHandle[];
  /** Cancels a run and waits for its end, at most `ms` milliseconds. Returns its outcome, or what is known by then. */
  cancel(run: RunHandle, ms: number, signal?: AbortSignal): Promise<Outcome>;
  /** Records that a run has been saved that could not be saved when it ended. */
  markSaved(runId: string): void;
}

export interface RegistryOptions {
  /** Limits the active runs. As many more may wait for a person. */
  most: number;
  keepMs: number;
  /** Limits how much of finished runs is kept. The defaults apply when it is absent. */
  kept?: FinishedRunsSizes | undefined;
  /** Limits what one caller may use. Without it there is no limit. */
  limits?: CallerLimits | undefined;
  onBegin?: ((run: RunHandle) => void) | undefined;
  onEnd?: ((run: RunHandle) => void) | undefined;
  /** Is called when the last one who waited for a run in another process has left. */
  onLeft?: ((run: RunHandle) => void) | undefined;
  /** Returns why no run can begin now, such as a store that cannot be reached. */
  findRefusal?: (() => DuetError | undefined) | undefined;
}

export function createRunRegistry(options: RegistryOptions): RunRegistry {
  const { most, keepMs, kept, limits, onBegin, onEnd, onLeft, findRefusal } = options;
  const active = new Map<string, RunHandle>();
  const ended = createFinishedRuns({ keepMs, onForget: forget, sizes: kept });
  /** Holds the runs that a repeated request may join, by caller and key. */
  const joinable = new Map<string, Set<RunHandle>>();
  const forgetters: ((conversationId: string, caller: Caller) => void)[] = [];
  const listeners = new Set<{ owner: string | undefined; tell(): void }>();
  const closing = new AbortController();

  /**
   * Callers of one owner may have rights to different tools, so a run of one caller may have used tools that another may not
   * use.
   */
  function toCallerKey({ owner, tools }: Caller, key: string): string {
    return JSON.stringify([owner, tools, key]);
  }

  function forget(run: RunHandle): void {
    const name = toCallerKey(run.caller, run.key);
    const runs = joinable.get(name);
    if (runs?.delete(run) && runs.size === 0) joinable.delete(name);
  }

  function remember(run: RunHandle): void {
    const name = toCallerKey(run.caller, run.key);
    const runs = joinable.get(name) ?? new Set();
    joinable.set(name, runs.add(run));
  }

  /** A kept run may have expired a moment before it is removed. */
  function isKnown({ id }: RunHandle): boolean {
    return active.has(id) || ended.has(id);
  }

  function notifyListeners({ owner }: Caller): void {
    for (const listener of listeners) if (listener.owner === owner) listener.tell();
  }

  /**
   * The run plans with what is left of the day, in the same way as with a budget from an upstream agent. Its turns reserve what
   * they use all the same, because other runs have the same plans.
   */
  function applyCallerLimits(caller: Caller, request: StartRunOptions["request"]): StartRunOptions["request"] {
    const { tokens, cost } = limits?.getRemaining(caller) ?? {};
    if (tokens === undefined && cost === undefined) return request;
    const chain = request.chain ?? { depth: 0 };
    return {
      ...request,
      chain: { ...chain, budget: chooseSmaller(chain.budget, tokens), cost: chooseSmaller(chain.cost, cost) },
    };
  }

  /**
   * A run that only waits for a person uses nothing, and must not keep others from starting. Neither does one that waits for its
   * client's tools, which many a client never sends: it is not counted at all.
   */
  function admit(caller: Caller, step: "check" | "admit"): void {
    if (closing.signal.aborted) throw serverClosingError();
    const refusal = findRefusal?.();
    if (refusal !== undefined) throw refusal;
    const all = [...active.values()].filter((run) => getRunPhase(run) !== "paused");
    const own = all.filter((run) => run.caller.owner === caller.owner);
    const waiting = countIn("waiting", all);
    if (all.length - waiting >= most) throw tooManyRunsError(most);
    if (all.length >= 2 * most) throw tooManyWaitingError(waiting, getFreeInMs(all));
    const ownWaiting = countIn("waiting", own);
    const counts = { all: all.length - waiting, own: own.length - ownWaiting, waiting: ownWaiting };
    limits?.[step](caller, { ...counts, freeInMs: getFreeInMs(own) });
  }

  /** Ends the run that has waited longest for its client where too many wait. One owner has at most half of the places. */
  function limitPaused({ owner }: Caller): void {
    const paused = [...active.values()].filter((run) => getRunPhase(run) === "paused");
    const own = paused.filter(({ caller }) => caller.owner === owner);
    const excess = own.length > Math.max(1, most / 2) ? own : paused.length > most ? paused : [];
    excess.toSorted((one, other) => one.changedAt - other.changedAt)[0]?.cancel();
  }

  /** Yields the caller's runs, newest first. */
  function* listCallerRuns(caller: Caller): Generator<RunHandle> {
    for (const run of [...active.values()].reverse())
      if (isOwnedBy(run, caller) && !run.isAside && !run.isMoved) yield run;
    for (const run of ended.values()) if (isOwnedBy(run, caller)) yield run;
  }

  /** Says whether a run waits, so that other processes know, too. */
  async function followState(run: RunHandle, place: RunPlace): Promise<void> {
    const { signal } = new AbortController();
    while (run.outcome === undefined) {
      await run.waitForChange(signal);
      place.update(getRunPhase(run));
    }
  }

  return {
    listRuns: listCallerRuns,
    listAll: () => [...active.values(), ...ended.values()].filter(({ isAside }) => !isAside),
    countOwn(caller) {
      const own = [...active.values()].filter((run) => run.caller.owner === caller.owner);
      return { now: countIn("going", own), inMinute: limits?.countMinute(caller) ?? 0 };
    },
    countFree: () => Math.max(0, most - countIn("going", [...active.values()])),
    find(id, caller) {
      const run = active.get(id) ?? ended.get(id);
      return run && !run.isMoved && isOwnedBy(run, caller) ? run : undefined;
    },
    findLatest(question, caller) {
      for (const run of listCallerRuns(caller)) if (run.question === question) return run;
      return undefined;
    },
    findByClientCall(callId, caller) {
      for (const run of listCallerRuns(caller)) if (run.clientCalls.has(callId)) return run;
      return undefined;
    },
    findSame(key, conversationId, caller, session) {
      for (const run of joinable.get(toCallerKey(caller, key)) ?? []) {
        if (!isKnown(run) || run.isDelivered || run.isStopping || run.outcome?.success === false) forget(run);
        else if (isInConversation(run, conversationId) && !(session && run.isAwaitedByOthers(session))) return run;
      }
      return undefined;
    },
    prepare: (caller, isLetIn) => limits?.prepare(caller, isLetIn),
    checkAdmission: (caller) => admit(caller, "check"),
    getBudget: (caller) => limits?.getBudget(caller),
    begin(wanted) {
      const { caller } = wanted;
      // A run that goes on was let in when it began.
      if (wanted.resumed === undefined) admit(caller, "admit");
      else if (closing.signal.aborted) throw serverClosingError();
      const place = limits?.takePlace(caller, wanted.resumed !== undefined);
      const run = startRun({
        ...wanted,
        request: { ...applyCallerLimits(caller, wanted.request), budget: limits?.getBudget(caller) },
        id: wanted.id ?? `run-${createRandomHex()}`,
        onLeft,
        onEnd(it) {
          if (active.get(it.id) === it) active.delete(it.id);
          place?.release();
          if (it.isMoved) forget(it);
          else if (!it.isAside) ended.add(it);
          notifyListeners(it.caller);
          onEnd?.(it);
        },
      });
      run.clientCalls.onPause(() => limitPaused(caller));
      active.set(run.id, run);
      if (place) void followState(run, place);
      if (!run.isAside) remember(run);
      onBegin?.(run);
      notifyListeners(run.caller);
      return run;
    },
    forgetConversation(conversationId, caller) {
      const isOwn = (run: RunHandle): boolean => run.caller.owner === caller.owner;
      const runs = [...ended.values()].filter((run) => isOwn(run) && run.conversationId === conversationId);
      for (const run of runs) ended.remove(run);
      for (const forget of forgetters) forget(conversationId, caller);
      return runs;
    },
    restoreRuns(runs) {
      // The newest is listed first.
      for (const run of runs.toReversed()) ended.add(run);
    },
    onForget: (listener) => void forgetters.push(listener),
    releaseConnection: (connection) => [...active.values()].filter((run) => run.removeWaitersOf(connection)),
    closing: closing.signal,
    stop() {
      closing.abort();
      return [...active.values()];
    },
    async cancel(run, ms, signal) {
      run.cancel();
      const limit = createTimeLimit(ms, () => timeoutError("cancel", ms), signal);
      await waitForEnd(run, limit.signal);
      limit.clear();
      return run.isMoved ? toRunningOutcome(run) : run.snapshot();
    },
    markSaved: (runId) => (active.get(runId) ?? ended.get(runId))?.markSaved(),
    onChange({ owner }, listener) {
      const entry = { owner, tell: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}

/** Where a client's user is asked for consent in the answer, the run has an open question as well, and waits for the client. */
function getRunPhase({ clientCalls, open }: RunHandle): PlaceState {
  if (clientCalls.open !== undefined) return "paused";
  return open === undefined ? "going" : "waiting";
}

function countIn(phase: PlaceState, runs: readonly RunHandle[]): number {
  return runs.filter((run) => getRunPhase(run) === phase).length;
}

/** Returns when the first of the questions is given up, in milliseconds from now. */
function getFreeInMs(runs: readonly RunHandle[]): number {
  const ends = runs.map(({ open }) => open?.until ?? Number.POSITIVE_INFINITY);
  return Math.max(0, Math.min(...ends) - Date.now());
}

/**
 * One owner may come with rights to different tools. Those count as different callers here, because a run may use what its
 * caller may use.
 */
function isOwnedBy({ caller: { owner, tools } }: RunHandle, caller: Caller): boolean {
  return owner === caller.owner && JSON.stringify(tools) === JSON.stringify(caller.tools);
}

/** Returns the smaller of two limits, either of which may be absent. */
function chooseSmaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
