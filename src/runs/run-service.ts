import type { Duet } from "../app/duet.ts";
import type { Config } from "../config/config.ts";
import type { Caller } from "../core/caller.ts";
import type { Mode } from "../core/run/outcome.ts";
import type { Entrance } from "../core/store/journal.ts";
import { createFollowedRuns, type FollowedRuns } from "./followed-runs.ts";
import { createCallerLimits } from "./limits/caller-limits.ts";
import { createCallerPlaces } from "./limits/caller-places.ts";
import type { RunHandle } from "./live/run-handle.ts";
import { type Confirmations, createConfirmations } from "./questions/confirmation-tokens.ts";
import { shareKey } from "./questions/share-key.ts";
import { createResumer, type Resumer } from "./resume-runs.ts";
import { createRunRegistry, type RunRegistry } from "./run-registry.ts";

/** Holds what all interfaces to the agent share: one set of runs, whoever began them and over which interface. */
export interface RunService {
  duet: Duet;
  settings: Config["serve"];
  runs: RunRegistry;
  confirmations: Confirmations;
  /** Is the mode of a question that names none. */
  mode: Mode | undefined;
  /** Takes each thought, tool input and output, line by line; absent unless they are wanted. */
  logSteps: ((line: string) => void) | undefined;
  /** Tells the operator of a fault of the program in what tells a run to its client. */
  onFault: ((run: RunHandle, thrown: unknown) => void) | undefined;
  /** Is the interface through which runs are asked for. */
  entrance: ServerEntrance;
  /** Goes on with runs of ended processes. */
  resumer: Resumer;
  /** Holds runs of other processes that share the store. */
  followed: FollowedRuns;
}

export type ServerEntrance = Extract<Entrance, "http" | "stdio">;

/** Adds one caller to the shared run service. */
export interface CallerScope extends RunService {
  caller: Caller;
}

export interface RunServiceOptions {
  settings: Config["serve"];
  /** Is `http` when it is absent. */
  entrance?: ServerEntrance | undefined;
  mode?: Mode | undefined;
  logSteps?: ((line: string) => void) | undefined;
  onBegin?: ((run: RunHandle) => void) | undefined;
  onEnd?: ((run: RunHandle) => void) | undefined;
  onFault?: RunService["onFault"];
}

export function openRunService(
  duet: Duet,
  { settings, mode, logSteps, entrance = "http", onBegin, onEnd, onFault }: RunServiceOptions,
): RunService {
  const most = settings.maxRuns;
  const { maxRuns, runsPerMinute } = settings.limits;
  const places = createCallerPlaces({
    limits: { runs: maxRuns, perMinute: runsPerMinute },
    open: async (caller) => (await duet.store(caller)).runPlaces,
  });
  const limits = createCallerLimits({
    limits: settings.limits,
    most,
    isShared:
      settings.http.auth !== undefined || settings.http.requireToken || settings.modelApi.trustedKeys.length > 0,
    places,
    isDayCounted: duet.limitsDay,
    openUsage: async (caller) => (await duet.store(caller)).dailyUsage,
  });
  const runs = createRunRegistry({
    ...{ most, keepMs: settings.keepResults * 1000, limits, onBegin, onEnd },
    onLeft(run) {
      if ((run.onDisconnect ?? settings.onDisconnect) === "cancel") run.cancel();
    },
    findRefusal: () => duet.storeHealth.refusal,
  });
  duet.storeHealth.follow((event) => event.type === "saved" && runs.markSaved(event.runId));
  const { storedRuns } = duet;
  const resumer = createResumer({ duet, storedRuns, runs, entrance, patienceMs: settings.confirmTime * 1000 });
  const isOwn = (runId: string): boolean => runs.listAll().some(({ id, isMoved }) => id === runId && !isMoved);
  const followed = createFollowedRuns({ duet, storedRuns, entrance, isOwn, onDisconnect: settings.onDisconnect });
  const confirmations = createConfirmations();
  if (duet.findRecords) void shareKey(duet.findRecords, confirmations, runs.closing);
  return { duet, settings, runs, followed, confirmations, mode, logSteps, onFault, entrance, resumer };
}

/**
 * Is the reason with which a request of a 2025-era session is given up whose connection broke. Those revisions of MCP say that a
 * broken connection is no cancel; since 2026-07-28 it is one.
 */
export const lostConnection = "the client closed the connection";

/** Is how long a run goes on whose caller was cut off, in milliseconds. The same question finds it in this time. */
export const lostCallerMs = 60_000;

type AwaitedRun = Pick<RunHandle, "addWaiter" | "removeWaiter" | "cancel"> & Partial<Pick<RunHandle, "onDisconnect">>;

/** Maps each run whose caller was cut off to the timer that waits for it and ends it. */
const lostCallers = new WeakMap<AwaitedRun, NodeJS.Timeout>();

/**
 * Ends the wait of these for the run. If nobody else waits for it, it is cancelled, unless the configuration says
 * otherwise. `isLost`: the caller did not cancel; its time was up, or its connection broke.
 */
export function releaseRun(
  { settings }: { settings: Pick<Config["serve"], "onDisconnect"> },
  run: AwaitedRun,
  waiters: readonly object[],
  { isLost = false } = {},
): void {
  const earlier = lostCallers.get(run);
  clearTimeout(earlier);
  if (isLost) {
    const timer = setTimeout(() => releaseRun({ settings }, run, []), lostCallerMs).unref();
    run.addWaiter(timer);
    lostCallers.set(run, timer);
  }
  const wasLast = [...waiters, ...(earlier ? [earlier] : [])].map((waiter) => run.removeWaiter(waiter)).includes(true);
  if (wasLast && (run.onDisconnect ?? settings.onDisconnect) === "cancel") run.cancel();
}

/** Returns true when a request was given up because its time was over, and not by a person. `reason` is that of its signal. */
export function isTimeoutReason(reason: unknown): boolean {
  return typeof reason === "string" && /time[ds]?[ -]?out|deadline exceeded/i.test(reason);
}
