import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type CallerSessions,
  createCallerSessions,
  type LeasedSession,
} from "../../../src/client/lifecycle/caller-sessions.ts";
import type { Session } from "../../../src/client/lifecycle/session.ts";
import type { ConnectionAttempt } from "../../../src/client/lifecycle/start-attempt.ts";
import type { ServerSettings } from "../../../src/config/config.ts";
import type { Elicit } from "../../../src/core/forms/elicitation.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Creates a session that asks nothing. Only its identity, its era and whether it is free for others count here. */
function createSession(era: Session["era"], isFreeFor: Session["isFreeFor"] = () => true): Session {
  const refuse = () => Promise.reject(new Error("not called here"));
  return {
    era,
    serverInfo: undefined,
    protocolVersion: undefined,
    offers: { prompts: false, resources: false, completions: false },
    isOver: () => false,
    isFreeFor,
    list: refuse,
    call: refuse,
    request: refuse,
    setLogLevel: refuse,
    notifyRootsChanged: refuse,
    resources: { subscribe: refuse, unsubscribe: refuse },
    close: async () => {},
  };
}

const settings: ServerSettings = {
  name: "quiz",
  transport: { type: "stdio", command: "quiz", args: [], env: {}, inheritEnv: [] },
  timeoutMs: 60_000,
  startTimeoutMs: 60_000,
  start: "eager",
  sampling: false,
};

interface FakeServer {
  era?: Session["era"];
  /** Is false before the server has asked anything. */
  isSeparate?: boolean;
  /** Settles when an extra connection is ready, or rejects when it cannot be opened. */
  start?: () => Promise<void>;
  /** Settles when a connection has ended. */
  stop?: () => Promise<void>;
}

/** Creates the sessions of a server that records its connections. */
function createSessions({
  era = "legacy",
  isSeparate = true,
  start = async () => {},
  stop = async () => {},
}: FakeServer = {}) {
  const open = new Set<ConnectionAttempt>();
  const tried = { count: 0 };
  const aborted: Error[] = [];
  const lost: unknown[] = [];
  /** Holds the sessions on which the server may still work on a call that was given up. */
  const busy = new Set<Session>();

  function prepare(): ConnectionAttempt {
    const abortion = Promise.withResolvers<never>();
    const attempt: ConnectionAttempt = {
      failureContext: { settings, redact: (text) => text },
      async open() {
        tried.count += 1;
        open.add(attempt);
        await Promise.race([start(), abortion.promise]);
        const session = createSession(era, () => !busy.has(session));
        return { session };
      },
      waitForExit: async () => {},
      abort(reason) {
        aborted.push(reason);
        abortion.reject(reason);
      },
      async dispose() {
        await stop();
        open.delete(attempt);
      },
    };
    return attempt;
  }

  const shared = { session: createSession(era), attempt: prepare() };
  const lifecycle = {
    live: async () => shared,
    connectionLost: (...loss: unknown[]) => void lost.push(loss),
  };
  const sessions = createCallerSessions({ name: settings.name, lifecycle, prepare });
  if (isSeparate) sessions.separate();
  return { sessions, shared, open, tried, aborted, lost, busy };
}

function createPerson(owner: string): Elicit {
  return Object.assign(async () => undefined, { owner });
}

async function acquire(sessions: CallerSessions, elicit: Elicit): Promise<LeasedSession> {
  const leased = await sessions.acquire(elicit, new AbortController().signal);
  if ("reply" in leased) throw new Error("The server is not ready.");
  return leased;
}

function acquireAll(sessions: CallerSessions, owner: string, count: number): Promise<LeasedSession[]> {
  return Promise.all(Array.from({ length: count }, () => acquire(sessions, createPerson(owner))));
}

test("one owner's callers get five connections beside the shared one and all callers eight; then they share", async () => {
  const { sessions, shared, open } = createSessions();
  const ofLi = await acquireAll(sessions, "li", 8);
  expect(open.size).toBe(5);
  expect(ofLi.filter(({ session }) => session === shared.session)).toHaveLength(3);
  const ofWang = await acquireAll(sessions, "wang", 8);
  expect(open.size).toBe(8);
  expect(ofWang.filter(({ session }) => session === shared.session)).toHaveLength(5);
  expect(new Set([...ofLi, ...ofWang].map(({ session }) => session)).size).toBe(9);
});

test("an extra connection is closed after a minute without a call, and a call in that minute keeps it", async () => {
  const { sessions, open } = createSessions();
  const [first, second] = await acquireAll(sessions, "li", 2);
  expect(open.size).toBe(1);
  second?.release();
  await vi.advanceTimersByTimeAsync(59_000);
  const again = await acquire(sessions, createPerson("li"));
  expect(again.session).toBe(second?.session);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(open.size).toBe(1);
  again.release();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(open.size).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(open.size).toBe(0);
  first?.release();
});

test("where an extra connection cannot be opened, the shared one is used, and none is tried for a minute", async () => {
  let isPossible = false;
  const { sessions, shared, tried } = createSessions({
    async start() {
      if (!isPossible) throw new Error("no more processes");
    },
  });
  await acquire(sessions, createPerson("li"));
  expect((await acquire(sessions, createPerson("wang"))).session).toBe(shared.session);
  expect((await acquire(sessions, createPerson("zhao"))).session).toBe(shared.session);
  expect(tried.count).toBe(1);
  isPossible = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await acquire(sessions, createPerson("qian"))).session).not.toBe(shared.session);
});

test("a server of the 2026 era says which call asks, so that all share one connection", async () => {
  const { sessions, shared, open } = createSessions({ era: "modern" });
  const leased = await acquireAll(sessions, "li", 4);
  expect(leased.every(({ session }) => session === shared.session)).toBe(true);
  expect(open.size).toBe(0);
});

test("until a server has asked something, all callers share one connection", async () => {
  const { sessions, shared, open } = createSessions({ isSeparate: false });
  const leased = await acquireAll(sessions, "li", 4);
  expect(leased.every(({ session }) => session === shared.session)).toBe(true);
  expect(open.size).toBe(0);
  sessions.separate();
  expect((await acquire(sessions, createPerson("li"))).session).not.toBe(shared.session);
  expect(open.size).toBe(1);
});

test("an extra connection on which a call was given up is closed as soon as that call is released", async () => {
  const { sessions, open, busy } = createSessions();
  const [, extra] = await acquireAll(sessions, "li", 2);
  if (extra) busy.add(extra.session);
  expect(open.size).toBe(1);
  extra?.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(open.size).toBe(0);
});

test("an extra connection that was lost is closed, and its person gets another one", async () => {
  const { sessions, shared, open, lost } = createSessions();
  const caller = createPerson("li");
  await acquire(sessions, createPerson("wang"));
  const first = await acquire(sessions, caller);
  first.markLost(new Error("gone"));
  first.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(open.size).toBe(0);
  expect(lost).toEqual([]);
  const second = await acquire(sessions, caller);
  expect([shared.session, first.session]).not.toContain(second.session);
  expect(open.size).toBe(1);
});

test("the loss of the shared connection is reported to the server's lifecycle", async () => {
  const { sessions, shared, lost } = createSessions();
  const leased = await acquire(sessions, createPerson("li"));
  const reason = new Error("gone");
  leased.markLost(reason);
  expect(lost).toEqual([[shared.attempt, reason]]);
});

test("close() waits until every extra connection has ended, and none is opened after it", async () => {
  const stopped = Promise.withResolvers<void>();
  const { sessions, shared, open, tried } = createSessions({ stop: () => stopped.promise });
  await acquireAll(sessions, "li", 3);
  expect(open.size).toBe(2);
  let isClosed = false;
  const closed = sessions.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isClosed).toBe(false);
  stopped.resolve();
  await closed;
  expect(open.size).toBe(0);
  expect((await acquire(sessions, createPerson("wang"))).session).toBe(shared.session);
  expect(tried.count).toBe(2);
});

test("close() aborts an extra connection that is starting, and ends it", async () => {
  const { sessions, open, aborted } = createSessions({ start: () => new Promise(() => {}) });
  await acquire(sessions, createPerson("li"));
  const waiting = acquire(sessions, createPerson("wang"));
  await vi.advanceTimersByTimeAsync(0);
  expect(open.size).toBe(1);
  await sessions.close();
  expect(aborted).toMatchObject([{ code: "server", message: expect.stringContaining("quiz") }]);
  expect(open.size).toBe(0);
  await waiting;
});
