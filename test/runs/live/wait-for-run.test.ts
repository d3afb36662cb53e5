import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import type { Host } from "../../../src/runs/input/host.ts";
import { startRun } from "../../../src/runs/live/start-run.ts";
import { type WaitResult, waitForRun } from "../../../src/runs/live/wait-for-run.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const windowMs = 1000;

/** A request that waits for a run which asks a person about one call and then works on until it is cancelled. */
function attendRun({
  isModern,
  asksForms = true,
  hasRounds = true,
}: {
  isModern: boolean;
  asksForms?: boolean;
  hasRounds?: boolean;
}) {
  const approvals: unknown[] = [];
  const run = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Wipe disk a.", conversationId: "conv-1" },
    canAsk: (kind) => kind === "call",
    patienceMs: 3_600_000,
    async *ask({ signal = new AbortController().signal, user }) {
      const request = {
        kind: "call" as const,
        tool: "wipe_disk",
        arguments: {},
        rule: "tools.ask: *",
        onlyOnce: false,
      };
      approvals.push(await user?.ask(request, signal));
      await waitAbortable(new Promise<void>(() => {}), signal);
      yield* [];
    },
    onEnd() {},
  });
  const reply = Promise.withResolvers<ElicitationReply>();
  const shown: unknown[] = [];
  const host: Host = {
    name: "",
    version: "",
    asksProgress: false,
    title: "",
    protocolVersion: "",
    asksForms,
    asksUrls: false,
    isModern,
    capabilities: {},
  };
  const ends: WaitResult[] = [];
  const means = {
    signal: new AbortController().signal,
    hasRounds: () => hasRounds,
    ask: (question: unknown, ...withdrawn: (AbortSignal | undefined)[]) => {
      shown.push(question);
      return Promise.race([reply.promise, ...withdrawn.map(whenAborted)]);
    },
  };
  /** One more request waits for the run. */
  function attend(): void {
    void waitForRun(run, { host, requestContext: means, windowMs, handsOut: !asksForms }).then((waitResult) =>
      ends.push(waitResult),
    );
  }
  attend();
  return { run, shown, ends, approvals, reply, attend };
}

function whenAborted(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve(undefined), { once: true }));
}

test("a modern host gets a whole new window after its user has answered, however long that took", async () => {
  const { run, shown, ends, approvals, reply } = attendRun({ isModern: true });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([shown.length, ends]).toEqual([1, []]);
  reply.resolve({ action: "accept", content: { scope: "once" } });
  await vi.advanceTimersByTimeAsync(windowMs - 1);
  expect([approvals, ends]).toEqual([["once"], []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual([{ end: "window" }]);
  run.cancel();
});

test("a host of the older era has one window for its call, the time for its user included", async () => {
  const { run, shown, ends, approvals } = attendRun({ isModern: false });
  await vi.advanceTimersByTimeAsync(windowMs - 1);
  expect([shown.length, ends]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual([{ end: "window" }]);
  expect([approvals, run.open?.isAsked]).toEqual([[], false]);
  run.cancel();
});

test.each([
  ["until that is open", 400, 400],
  ["for a second at most", undefined, 1000],
])("a request without a window waits for its run's conversation %s", async (_, openMs, endMs) => {
  const run = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => false,
    patienceMs: 3_600_000,
    async *ask({ signal = new AbortController().signal, recording }) {
      if (openMs !== undefined) setTimeout(() => recording?.onConversation?.("conv-1"), openMs);
      await waitAbortable(new Promise<void>(() => {}), signal);
      yield* [];
    },
    onEnd() {},
  });
  const ends: WaitResult[] = [];
  const requestContext = { signal: new AbortController().signal, hasRounds: () => true, ask: async () => undefined };
  const host = { asksForms: false, isModern: false } as Host;
  void waitForRun(run, { host, requestContext, windowMs: 0, handsOut: false }).then((end) => ends.push(end));
  await vi.advanceTimersByTimeAsync(endMs - 1);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(ends).toEqual([{ end: "window" }]);
  expect(run.snapshot().conversation_id).toBe(openMs === undefined ? "" : "conv-1");
  run.cancel();
});

test("a host that would give its request up for one more question is told at once that the run goes on", async () => {
  const { run, shown, ends, approvals } = attendRun({ isModern: true, hasRounds: false });
  await vi.advanceTimersByTimeAsync(0);
  expect([shown, ends, approvals]).toEqual([[], [{ end: "window" }], []]);
  expect(run.open?.isAsked).toBe(false);
  run.cancel();
});

test("a host that cannot ask is told at once which call waits for a person", async () => {
  const { run, shown, ends } = attendRun({ isModern: true, asksForms: false });
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual([{ end: "confirm", open: run.open }]);
  expect(shown).toEqual([]);
  run.cancel();
});

test.each([
  [true, 2],
  [false, 1],
])(
  "a question that a host took along (%s) may never be answered, so the next request shows it too",
  async (isModern, times) => {
    const { run, shown, approvals, reply, attend } = attendRun({ isModern });
    await vi.advanceTimersByTimeAsync(0);
    attend();
    await vi.advanceTimersByTimeAsync(0);
    expect([shown.length, run.open?.isAsked, run.open?.isInResult]).toEqual([times, true, isModern]);
    reply.resolve({ action: "accept", content: {} });
    await vi.advanceTimersByTimeAsync(0);
    expect([approvals, run.open]).toEqual([["once"], undefined]);
    run.cancel();
  },
);
