import { expect, test, vi } from "vitest";
import { noticeKinds } from "../../../src/core/notices/notice-kinds.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { RunMessage } from "../../../src/core/store/run-mailbox.ts";
import { localRuns, type RunUpdate, type SharedRun, type SharedRuns } from "../../../src/core/store/shared-runs.ts";
import { followRun } from "../../../src/runs/live/follow-run.ts";
import { toInterruptedOutcome } from "../../../src/runs/outcomes/interrupted-outcome.ts";
import { newRun } from "../../store/journal-runs.ts";

const text: AgentEvent = { type: "answer-delta", text: "It is " };
const run: SharedRun = {
  ...newRun("run-1", "anna"),
  begunAt: "2026-11-26T12:00:00.000Z",
  lastAt: "2026-11-26T12:00:00.000Z",
  isHeld: true,
  waits: false,
  ageMs: 0,
};
const outcome = toInterruptedOutcome({ ...run, isOld: true });
const end: AgentEvent = { type: "run-end", outcome };

/** A run of another process, of which the store tells what `news` holds by then. */
function openShared(read: (from: number) => Promise<Partial<RunUpdate>>) {
  const sent: RunMessage[] = [];
  const listeners = new Set<() => void>();
  const gate = { open: Promise.resolve() };
  const shared: SharedRuns = {
    ...localRuns,
    isShared: true,
    read: async (_run, from) => ({ events: [], question: undefined, isOver: false, ...(await read(from)) }),
    watch(_run, listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async send(_run, message) {
      // The first one takes longer than those after it.
      if (sent.length === 0) await gate.open;
      sent.push(message);
    },
  };
  const closing = new AbortController();
  const follow = () =>
    followRun({
      ...{ shared, run, by: "here", closing: closing.signal },
      readOutcome: async () => outcome,
      onIdle() {},
    });
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return { follow, tell, sent, gate, closing, listeners };
}

test("an end that could not be read is read again, though nobody tells of it a second time", async () => {
  const isAsked = Promise.withResolvers<void>();
  let failures = 0;
  let told: AgentEvent[] = [text];
  const { follow, tell, listeners } = openShared(async (from) => {
    if (failures-- > 0) {
      isAsked.resolve();
      throw new Error("it is away");
    }
    return { events: told.slice(from) };
  });
  const handle = await follow();
  told = [text, end];
  failures = 1;
  tell();
  await isAsked.promise;
  expect(handle.outcome).toBeUndefined();
  const { signal } = new AbortController();
  while (handle.outcome === undefined) await handle.waitForEvent(signal);
  expect(handle.events).toEqual([text, end]);
  expect(listeners.size).toBe(0);
});

test("a run whose events cannot be read is not followed, so that no reader is told that it has told nothing", async () => {
  const { follow, listeners } = openShared(async () => {
    throw new Error("it is away");
  });
  await expect(follow()).rejects.toThrow("it is away");
  expect(listeners.size).toBe(0);
});

test.each([noticeKinds.runResumed("2026-11-26T12:00:00.000Z", "en"), noticeKinds.runHandedOver(undefined, "en")])(
  "nothing is released before it is held, and the next process of a run is told who waits for it: $code",
  async (notice) => {
    let told: AgentEvent[] = [text];
    const { follow, tell, sent, gate } = openShared(async (from) => ({ events: told.slice(from) }));
    const slow = Promise.withResolvers<void>();
    gate.open = slow.promise;
    const handle = await follow();
    const [first, second] = [{}, {}];
    handle.addWaiter(first);
    handle.removeWaiter(first);
    handle.addWaiter(second);
    slow.resolve();
    await vi.waitFor(() => expect(sent.map(({ type }) => type)).toEqual(["hold", "release", "hold"]));
    told = [text, notice];
    tell();
    await vi.waitFor(() => expect(sent.map(({ type }) => type)).toEqual(["hold", "release", "hold", "hold"]));
  },
);

test("the process of a run is told whether a session waits for it, which nobody else may join", async () => {
  const { follow, sent, gate } = openShared(async () => ({ events: [text] }));
  gate.open = Promise.resolve();
  const handle = await follow();
  const [request, timer, session] = [{}, {}, {}];
  handle.addWaiter(request, session);
  // It is cut off, and its run goes on for a while.
  handle.addWaiter(timer);
  handle.removeWaiter(request);
  handle.removeWaiter(timer);
  const holds = [true, false].map((isSession) => expect.objectContaining({ type: "hold", isSession }));
  await vi.waitFor(() => expect(sent).toEqual([...holds, expect.objectContaining({ type: "release" })]));
});

test("who waits for it when this process closes is told that it goes on elsewhere", async () => {
  const { follow, closing, listeners } = openShared(async () => ({}));
  const handle = await follow();
  const waiting = handle.waitForChange(new AbortController().signal);
  closing.abort();
  await waiting;
  expect([handle.isMoved, handle.outcome?.error?.code]).toEqual([true, "overloaded"]);
  // A time to come again would have clients ask the question a second time.
  expect(handle.outcome?.error).not.toHaveProperty("retry_after_s");
  expect(listeners.size).toBe(0);
});
