import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type CallerSessions,
  createCallerSessions,
  type LeasedSession,
} from "../../../src/client/lifecycle/caller-sessions.ts";
import type { Session } from "../../../src/client/lifecycle/session.ts";
import type { Start } from "../../../src/client/lifecycle/start-attempt.ts";
import type { Elicit } from "../../../src/core/forms/elicitation.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A session that asks nothing, of which only the identity and the era count here. */
function fakeSession(era: Session["era"]): Session {
  const unused = () => Promise.reject(new Error("not called here"));
  return {
    era,
    serverInfo: undefined,
    protocolVersion: undefined,
    offers: { prompts: false, resources: false, completions: false },
    isOver: () => false,
    isFreeFor: () => true,
    list: unused,
    call: unused,
    request: unused,
    close: async () => {},
  };
}

/** The sessions of a server that counts its connections; `canStart` says whether a further one can be opened. */
function sessionsOf({
  era = "legacy",
  canStart = () => true,
}: {
  era?: Session["era"];
  canStart?: () => boolean;
} = {}) {
  const open = new Set<Start>();
  const tried = { count: 0 };
  function prepare(): Start {
    tried.count += 1;
    const start: Start = {
      began: 0,
      failureContext: undefined as never,
      async open() {
        if (!canStart()) throw new Error("no more processes");
        open.add(start);
        return { session: fakeSession(era), listing: undefined as never };
      },
      waitForExit: async () => {},
      abort: () => {},
      dispose: async () => void open.delete(start),
    };
    return start;
  }
  const shared = { session: fakeSession(era), attempt: prepare() };
  tried.count = 0;
  const lifecycle = { live: async () => shared, connectionLost() {} };
  const sessions = createCallerSessions({ name: "quiz", lifecycle, prepare });
  sessions.separate();
  return { sessions, shared: shared.session, open, tried };
}

function person(owner: string): Elicit {
  return Object.assign(async () => undefined, { owner });
}

async function acquire(sessions: CallerSessions, elicit: Elicit): Promise<LeasedSession> {
  const leased = await sessions.acquire(elicit, new AbortController().signal);
  if ("reply" in leased) throw new Error("The server is not ready.");
  return leased;
}

function acquireAll(sessions: CallerSessions, owner: string, count: number): Promise<LeasedSession[]> {
  return Promise.all(Array.from({ length: count }, () => acquire(sessions, person(owner))));
}

test("one owner's callers get five connections beside the shared one and all callers eight; then they share", async () => {
  const { sessions, shared, open } = sessionsOf();
  const ofLi = await acquireAll(sessions, "li", 8);
  expect(open.size).toBe(5);
  expect(ofLi.filter(({ session }) => session === shared)).toHaveLength(3);
  const ofWang = await acquireAll(sessions, "wang", 8);
  expect(open.size).toBe(8);
  expect(ofWang.filter(({ session }) => session === shared)).toHaveLength(5);
  expect(new Set([...ofLi, ...ofWang].map(({ session }) => session)).size).toBe(9);
});

test("a further connection is closed after a minute without a call, and a call in that minute keeps it", async () => {
  const { sessions, open } = sessionsOf();
  const [first, second] = await acquireAll(sessions, "li", 2);
  expect(open.size).toBe(1);
  second?.release();
  await vi.advanceTimersByTimeAsync(59_000);
  const again = await acquire(sessions, person("li"));
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

test("where a further connection cannot be opened the shared one is used, and none is tried for a minute", async () => {
  let isPossible = false;
  const { sessions, shared, tried } = sessionsOf({ canStart: () => isPossible });
  await acquire(sessions, person("li"));
  expect((await acquire(sessions, person("wang"))).session).toBe(shared);
  expect((await acquire(sessions, person("zhao"))).session).toBe(shared);
  expect(tried.count).toBe(1);
  isPossible = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await acquire(sessions, person("qian"))).session).not.toBe(shared);
});

test("a server of the 2026 era says which call asks, so that all share one connection", async () => {
  const { sessions, shared, open } = sessionsOf({ era: "modern" });
  const leased = await acquireAll(sessions, "li", 4);
  expect(leased.every(({ session }) => session === shared)).toBe(true);
  expect(open.size).toBe(0);
});
