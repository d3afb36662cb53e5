import type { Elicit } from "../../core/forms/elicitation.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import type { CallReply } from "../calls/call-reply.ts";
import { getPerson } from "../questions/active-calls.ts";
import { createDisposals } from "./disposals.ts";
import { closedServerError, type LiveSession, type ServerLifecycle } from "./server-lifecycle.ts";
import type { ConnectionAttempt } from "./start-attempt.ts";

/** Holds the session of one call, until it is released. */
export interface LeasedSession extends LiveSession {
  release(): void;
  /** Records why the connection was lost. */
  markLost(thrown: unknown): void;
}

/**
 * Finds a session for each call of one server. All callers share one connection until a server of the 2025 era asks a user
 * something: it does not say which call its question belongs to. From then on, callers that use it at the same time have
 * connections of their own, so that a question that nobody answers is in nobody else's way.
 */
export interface CallerSessions {
  /** Waits as `ServerLifecycle.live` does, and longer where an extra connection is opened. Rejects as that does. */
  acquire(elicit: Elicit | undefined, signal: AbortSignal): Promise<LeasedSession | CallReply>;
  /** Gives callers connections of their own from now on. */
  separate(): void;
  /** Ends the extra connections for good; never rejects. */
  close(): Promise<void>;
}

/** Limits the extra connections of a server, and those of one owner: some are left for others. */
const extraConnectionLimits = { all: 8, perOwner: 5 };

/** Is how long an extra connection stays open without a call, in milliseconds. */
const idleMs = 60_000;

/** Is how long no extra connection is tried after one that could not be opened, in milliseconds. */
const pauseMs = 60_000;

export interface CallerSessionsOptions {
  /** Names the server. */
  name: string;
  lifecycle: Pick<ServerLifecycle, "live" | "connectionLost">;
  /** Makes one start of an extra connection; `onLost` is for its end. */
  prepare(onLost: () => void): ConnectionAttempt;
}

/** Represents a connection beside the shared one. */
interface ExtraConnection {
  attempt: ConnectionAttempt;
  /** Is the caller that it was opened for. */
  firstCaller: Caller;
  /** Is undefined while it starts. */
  live?: LiveSession;
  /** Settles when the start has succeeded or failed; never rejects. */
  settled: Promise<void>;
  timer?: NodeJS.Timeout;
}

interface Caller {
  person: object | undefined;
  owner: unknown;
}

export function createCallerSessions({ name, lifecycle, prepare }: CallerSessionsOptions): CallerSessions {
  let isSeparate = false;
  let isClosed = false;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  const extraConnections = new Set<ExtraConnection>();
  const disposals = createDisposals();
  /** Holds the callers of each session, from the choice of the session to the end of the call. */
  const callersBySession = new WeakMap<LiveSession["session"], Set<Caller>>();
  /** A server may keep what a caller did on a connection, so the caller gets the same one again if it can. */
  const lastSessionByPerson = new WeakMap<object, LiveSession["session"]>();

  function listCallers({ session }: LiveSession): Caller[] {
    return [...(callersBySession.get(session) ?? [])];
  }

  function isFree(live: LiveSession, person: object | undefined): boolean {
    if (live.session.isOver() || !live.session.isFreeFor(person)) return false;
    return listCallers(live).every((each) => each.person === person);
  }

  function createLease(live: LiveSession, caller: Caller, connection?: ExtraConnection): LeasedSession {
    const { session, attempt } = live;
    const callers = callersBySession.get(session) ?? new Set();
    callersBySession.set(session, callers.add(caller));
    if (caller.person) lastSessionByPerson.set(caller.person, session);
    clearTimeout(connection?.timer);
    return {
      ...live,
      release() {
        callers.delete(caller);
        if (connection && callers.size === 0) closeWhenIdle(connection, live);
      },
      markLost(thrown) {
        if (connection) dispose(connection);
        else lifecycle.connectionLost(attempt, thrown);
      },
    };
  }

  /** A server may still work on a call that was given up, and ask about it: that connection is of no use to others. */
  function closeWhenIdle(connection: ExtraConnection, { session }: LiveSession): void {
    if (session.isFreeFor({})) connection.timer = setTimeout(() => dispose(connection), idleMs).unref();
    else dispose(connection);
  }

  function dispose(connection: ExtraConnection): void {
    if (!extraConnections.delete(connection)) return;
    clearTimeout(connection.timer);
    disposals.dispose(connection.attempt);
  }

  function findFree(shared: LiveSession, caller: Caller): LeasedSession | undefined {
    const last = caller.person && lastSessionByPerson.get(caller.person);
    const own = [...extraConnections].flatMap((connection) =>
      connection.live ? [{ live: connection.live, connection }] : [],
    );
    const all: { live: LiveSession; connection?: ExtraConnection }[] = [{ live: shared }, ...own];
    const free = all.filter(({ live }) => isFree(live, caller.person));
    const found = free.find(({ live }) => live.session === last) ?? free[0];
    return found && createLease(found.live, caller, found.connection);
  }

  function canOpen({ owner }: Caller): boolean {
    if (isClosed || performance.now() < pausedUntil || extraConnections.size >= extraConnectionLimits.all) return false;
    const ofOwner = [...extraConnections].filter(({ live, firstCaller }) =>
      (live ? listCallers(live) : [firstCaller]).some((each) => each.owner === owner),
    );
    return ofOwner.length < extraConnectionLimits.perOwner;
  }

  function open(caller: Caller): ExtraConnection {
    const attempt = prepare(() => dispose(connection));
    const settled = attempt.open().then(
      ({ session }) => {
        connection.live = { session, attempt };
      },
      () => {
        pausedUntil = performance.now() + pauseMs;
        dispose(connection);
      },
    );
    const connection: ExtraConnection = { attempt, firstCaller: caller, settled };
    extraConnections.add(connection);
    return connection;
  }

  return {
    async acquire(elicit, signal) {
      const person = getPerson({ elicit });
      const caller = { person, owner: elicit?.owner ?? person };
      for (let hasOpened = false; ; ) {
        const shared = await lifecycle.live(signal);
        if ("reply" in shared) return shared;
        if (!isSeparate || shared.session.era === "modern") return createLease(shared, caller);
        const free = findFree(shared, caller);
        if (free) return free;
        const starting = [...extraConnections].find(
          ({ live, firstCaller }) => live === undefined && firstCaller.person === person,
        );
        // Where no extra one can be had, the call is made nevertheless: most calls ask nothing.
        if (starting === undefined && (hasOpened || !canOpen(caller))) return createLease(shared, caller);
        hasOpened ||= starting === undefined;
        await waitAbortable((starting ?? open(caller)).settled, signal);
      }
    },
    separate() {
      isSeparate = true;
    },
    async close() {
      isClosed = true;
      for (const connection of extraConnections) {
        if (connection.live === undefined) connection.attempt.abort(closedServerError(name));
        dispose(connection);
      }
      await disposals.waitForAll();
    },
  };
}
