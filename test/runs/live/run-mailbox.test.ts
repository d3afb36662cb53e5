import { expect, onTestFinished, test, vi } from "vitest";
import { LostRunError, type RunJournal } from "../../../src/core/store/journal.ts";
import type { RunMailbox, RunMessage } from "../../../src/core/store/run-mailbox.ts";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import type { RunHandle } from "../../../src/runs/live/run-handle.ts";
import { startRun } from "../../../src/runs/live/start-run.ts";

/** Begins a run that is recorded in a journal that others share; `say` is what they say to it. */
async function beginShared({ addEvents = async () => {} }: Partial<Pick<RunJournal, "addEvents">> = {}) {
  const replies: unknown[] = [];
  const listeners = new Set<(message: RunMessage) => void>();
  const mailbox: RunMailbox = {
    receive(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    post: async ({ id }) => ({ id }),
    claim: async () => true,
    withdraw() {},
    reply: (...reply) => void replies.push(reply),
  };
  const journal: RunJournal = {
    runId: "run-1",
    add: async () => {},
    addEvents,
    moved: new AbortController().signal,
    forbid: async () => {},
    mailbox,
  };
  const left: string[] = [];
  const isRecorded = Promise.withResolvers<void>();
  const isEnding = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  const run: RunHandle = startRun({
    id: "run-1",
    key: "key",
    caller: {},
    locale: "en",
    request: { question: "Hello" },
    canAsk: () => true,
    patienceMs: 60_000,
    async *ask({ recording, signal }) {
      recording?.onRecorded?.(journal);
      isRecorded.resolve();
      yield { type: "answer-delta", text: "It is so." };
      await waitAbortable(isEnding.promise, signal);
    },
    onLeft: ({ id }) => void left.push(id),
    onEnd: () => isOver.resolve(),
  });
  await isRecorded.promise;
  const say = (message: RunMessage): void => {
    for (const listener of listeners) listener(message);
  };
  return { run, say, left, replies, end: isEnding.resolve, isOver: isOver.promise, listeners };
}

test("a run is given up only when nobody waits for it, here or in another process", async () => {
  const { run, say, left, isOver, listeners } = await beginShared();
  const reader = {};
  run.addWaiter(reader);
  say({ type: "hold", by: "b" });
  say({ type: "hold", by: "b" });
  // The client has left here, and reads on there.
  expect(run.removeWaiter(reader)).toBe(false);
  say({ type: "hold", by: "c" });
  say({ type: "release", by: "b" });
  expect(left).toEqual([]);
  say({ type: "release", by: "c" });
  expect(left).toEqual(["run-1"]);
  say({ type: "stop" });
  await isOver;
  expect(run.outcome?.status).toBe("cancelled");
  expect(listeners.size).toBe(0);
});

test("a run whose last events another process tells is not told to have failed, and is not kept as ended", async () => {
  const { run, end, isOver } = await beginShared({
    async addEvents() {
      throw new LostRunError("run-1");
    },
  });
  end();
  await isOver;
  expect([run.isMoved, run.events, run.outcome?.error?.code]).toEqual([true, [], "overloaded"]);
  expect(run.fault).toBeUndefined();
});

test("whoever says something to a run from another process learns whether it is read", async () => {
  const { run, say, replies, isOver } = await beginShared();
  say({ type: "say", id: "m1", text: "Quicker." });
  say({ type: "say", id: "m2", text: "x".repeat(20_000) });
  expect(replies).toEqual([
    ["m1", "next_step"],
    ["m2", "refused"],
  ]);
  run.cancel();
  await isOver;
});

test("a run whose request was cancelled elsewhere ends where nobody says in two seconds that somebody waits for it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const awaited = await beginShared();
  awaited.say({ type: "abandon" });
  awaited.say({ type: "hold", by: "b" });
  const free = await beginShared();
  free.say({ type: "abandon" });
  vi.advanceTimersByTime(1_999);
  expect([awaited.run.isStopping, free.run.isStopping]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([awaited.run.isStopping, free.run.isStopping]).toEqual([false, true]);
  awaited.end();
  await Promise.all([awaited.isOver, free.isOver]);
});

test("a run that ends in these two seconds is not stopped afterwards, so that whoever asks again gets its outcome", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { run, say, end, isOver } = await beginShared();
  say({ type: "abandon" });
  end();
  await isOver;
  vi.advanceTimersByTime(2_000);
  expect(run.isStopping).toBe(false);
});
