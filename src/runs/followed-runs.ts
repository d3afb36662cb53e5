import type { StoredRuns } from "../app/conversations/stored-runs.ts";
import type { Duet } from "../app/duet.ts";
import type { Caller } from "../core/caller.ts";
import type { Outcome } from "../core/run/outcome.ts";
import type { Entrance, HostRequest } from "../core/store/journal.ts";
import type { SharedRun } from "../core/store/shared-runs.ts";
import { createLazy } from "../kit/create-lazy.ts";
import { DuetError } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import { type FollowedRun, followRun } from "./live/follow-run.ts";
import { isInConversation, type RunHandle } from "./live/run-handle.ts";
import type { WaitingSession } from "./live/run-waiters.ts";
import { toFinishedOutcome } from "./outcomes/finished-outcome.ts";
import { toInterruptedOutcome } from "./outcomes/interrupted-outcome.ts";

/** Holds the runs that other processes of the same store carry out. Where no store is shared, nothing is ever found. */
export interface FollowedRuns {
  /** Returns a run of the caller that goes on in another process, or will. Rejects when the store cannot be read, or all is closed. */
  find(runId: string, caller: Caller): Promise<RunHandle | undefined>;
  /**
   * Returns a run that goes on in another process, which was requested in the same words and which no other session needs. Waits for a
   * process that does not answer until its lease is over. Rejects as `find` does.
   */
  findSame(request: SameRequest): Promise<RunHandle | undefined>;
  /**
   * Stops the runs that began for a request, or for any of a session, where nobody else waits for them: the process to which it came may
   * have ended, and whichever carries out the run decides. Rejects when the store cannot be read or written.
   */
  stopAbandoned(request: AbandonedRequest, caller: Caller): Promise<void>;
  /** Lists the caller's runs that go on in other processes, the newest first. Rejects when the store cannot be read. */
  list(caller: Caller): Promise<ListedRun[]>;
  /** Aborts when this process follows none any more. */
  readonly closing: AbortSignal;
  /** Ends each wait for a run of another process: whoever waits is told that it goes on there. */
  close(): void;
}

/** Names a request whose client has cancelled it, or a session that its client has ended. */
export type AbandonedRequest = Pick<HostRequest, "sessionId"> & Partial<HostRequest>;

/** Describes what is asked for again. */
export interface SameRequest {
  /** Is described at `RunHandle`. */
  key: string;
  conversationId: string | undefined;
  caller: Caller;
  session: WaitingSession;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/**
 * Is after how long no silent process is asked again, in milliseconds: by then its lease is over, if it has ended. An ask under way takes
 * up to three seconds more.
 */
const longestSilenceMs = 7_000;

/** Limits how many runs of the same request, the newest first, are asked about. */
const mostSame = 5;

/** Is a run as a list shows it. */
export type ListedRun = Pick<
  RunHandle,
  "id" | "conversationId" | "question" | "outcome" | "startedAt" | "mode" | "after" | "goesOnWith"
> & { waits: boolean };

export interface FollowedRunsOptions {
  duet: Pick<Duet, "trace" | "localeFor">;
  storedRuns: Pick<StoredRuns, "openShared" | "canResume">;
  entrance: Entrance;
  /** Returns true for a run of this process. */
  isOwn(runId: string): boolean;
  /** Says what becomes of a run for which nobody waits, where the run does not. */
  onDisconnect: NonNullable<RunHandle["onDisconnect"]>;
}

export function createFollowedRuns({
  duet,
  storedRuns,
  entrance,
  isOwn,
  onDisconnect,
}: FollowedRunsOptions): FollowedRuns {
  /** Names this process to the others. */
  const getName = createLazy(() => createRandomHex());
  const followed = new Map<string, Promise<FollowedRun>>();
  const closing = new AbortController();

  /** Callers of one owner may have rights to different tools, and do not see each other's runs. */
  function isVisible({ owner, header }: SharedRun, caller: Caller): boolean {
    return (
      header.entrance === entrance &&
      owner === caller.owner &&
      JSON.stringify(header.callerTools) === JSON.stringify(caller.tools)
    );
  }

  async function readOutcome(run: SharedRun): Promise<Outcome> {
    const { runId, owner, header } = run;
    const trace = await duet.trace(runId, { owner });
    if (trace) return toFinishedOutcome(trace, duet.localeFor(trace.question));
    return toInterruptedOutcome({ ...run, isOld: true, header });
  }

  async function follow(run: SharedRun): Promise<FollowedRun> {
    const { runId } = run;
    const shared = await storedRuns.openShared();
    const following =
      followed.get(runId) ??
      followRun({ shared, run, by: getName(), closing: closing.signal, readOutcome, onIdle: forget });
    function forget(): void {
      if (followed.get(runId) === following) followed.delete(runId);
    }
    followed.set(runId, following);
    following.catch(forget);
    const found = await following;
    found.touch();
    return found;
  }

  async function find(runId: string, caller: Caller): Promise<RunHandle | undefined> {
    const shared = await storedRuns.openShared();
    if (!shared.isShared) return undefined;
    const run = await shared.find(runId, caller.owner);
    // What was told here shortly before its end is known still.
    if (run === undefined) return findEnded(await followed.get(runId), caller);
    // One that nobody carries out is followed where somebody is about to.
    if (!isVisible(run, caller) || !(run.isHeld || storedRuns.canResume(run))) return undefined;
    // Nobody may be told that there is none.
    if (closing.signal.aborted) throw goesOnElsewhereError();
    return follow(run);
  }

  /** Returns which of these runs whoever asks the same may have, and whether the process of one has not answered. */
  async function askToJoin(
    runs: readonly SharedRun[],
    { sessionId }: WaitingSession,
  ): Promise<{ joined: SharedRun[]; isSilent: boolean }> {
    const shared = await storedRuns.openShared();
    // Its process has ended. A session that waits for it in a third one is not known here, and shares it then.
    const replies = await Promise.all(runs.map(async ({ runId, isHeld }) => !isHeld || shared.join(runId, sessionId)));
    return { joined: runs.filter((_, index) => replies[index]), isSilent: replies.includes(undefined) };
  }

  async function findSame({
    key,
    conversationId,
    caller,
    session,
    signal,
  }: SameRequest): Promise<RunHandle | undefined> {
    const shared = await storedRuns.openShared();
    const until = performance.now() + longestSilenceMs;
    while (!closing.signal.aborted && !signal.aborted) {
      const runs = (await shared.listSame(key, caller.owner)).filter(
        (run) =>
          isVisible(run, caller) && !isOwn(run.runId) && isInConversation({ ...run, ...run.header }, conversationId),
      );
      const { joined, isSilent } = await askToJoin(runs.slice(0, mostSame), session);
      for (const { runId } of joined) {
        const run = await find(runId, caller);
        if (run && run.outcome === undefined && !run.isAwaitedByOthers(session)) return run;
      }
      if (!isSilent || performance.now() > until) return undefined;
    }
    return undefined;
  }

  return {
    closing: closing.signal,
    close: () => closing.abort(),
    find,
    findSame,
    async stopAbandoned(request, caller) {
      const shared = await storedRuns.openShared();
      const runs = shared.isShared ? await shared.list(caller.owner) : [];
      const abandoned = runs.filter(
        (run) =>
          isVisible(run, caller) && isBegunFor(run, request) && (run.header.onDisconnect ?? onDisconnect) === "cancel",
      );
      await Promise.all(abandoned.map(({ runId }) => shared.send(runId, { type: "abandon" })));
    },
    async list(caller) {
      const shared = await storedRuns.openShared();
      if (!shared.isShared) return [];
      const runs = await shared.list(caller.owner);
      return runs.filter((run: SharedRun) => isVisible(run, caller) && !isOwn(run.runId)).map(toListedRun);
    },
  };
}

function isBegunFor({ header: { hostRequest } }: SharedRun, { sessionId, requestId }: AbandonedRequest): boolean {
  return hostRequest?.sessionId === sessionId && (requestId === undefined || hostRequest.requestId === requestId);
}

function goesOnElsewhereError(): DuetError {
  return new DuetError({
    code: "overloaded",
    text: {
      zh: "服务器正在关闭，这次运行由另一个进程继续。",
      en: "The server is closing, and another process goes on with this run.",
    },
    hint: { zh: "请稍后再试。", en: "Try again later." },
    retryAfterMs: 1_000,
  });
}

function findEnded(run: FollowedRun | undefined, { owner, tools }: Caller): RunHandle | undefined {
  if (run?.outcome === undefined || run.isMoved || run.caller.owner !== owner) return undefined;
  return JSON.stringify(run.caller.tools) === JSON.stringify(tools) ? run : undefined;
}

function toListedRun({ runId, conversationId, header, begunAt, waits }: SharedRun): ListedRun {
  const { question, mode, after, goesOnWith } = header;
  const startedAt = Date.parse(begunAt);
  return { id: runId, conversationId, question, outcome: undefined, startedAt, mode, after, goesOnWith, waits };
}
