import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/events.ts";
import { LostRunError, type RunJournal } from "../../src/core/store/journal.ts";
import type { RunMailbox, RunMessage } from "../../src/core/store/run-mailbox.ts";
import { waitAbortable } from "../../src/kit/async/timeout.ts";
import { type RunHandle, startRun } from "../../src/runs/run-handle.ts";

/** Begins a run that is recorded in a journal that others share; `say` is what they say to it. */
async function beginShared(addEvents: RunJournal["addEvents"] = async () => {}) {
  const listeners = new Set<(message: RunMessage) => void>();
  const mailbox: RunMailbox = {
    isShared: true,
    isTaken: async () => true,
    receive(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    post: async ({ id }) => ({ id }),
    claim: async () => true,
    withdraw() {},
  };
  const journal: RunJournal = { runId: "run-1", add: async () => {}, addEvents, forbid: async () => {}, mailbox };
  const left: string[] = [];
  const isRecorded = Promise.withResolvers<void>();
  const tell = Promise.withResolvers<AgentEvent>();
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
      yield await waitAbortable(tell.promise, signal);
      await waitAbortable(new Promise<void>(() => {}), signal);
    },
    onLeft: ({ id }) => void left.push(id),
    onEnd: () => isOver.resolve(),
  });
  await isRecorded.promise;
  const say = (message: RunMessage): void => {
    for (const listener of listeners) listener(message);
  };
  return { run, say, left, tell: tell.resolve, isOver: isOver.promise, listeners };
}

test("a run is given up only when nobody waits for it, here or in another process", async () => {
  const { run, say, left, isOver, listeners } = await beginShared();
  const reader = {};
  run.hold(reader);
  say({ type: "hold", by: "b" });
  say({ type: "hold", by: "b" });
  // The client has left here, and reads on there.
  expect(run.release(reader)).toBe(false);
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

test("a run that another process has taken tells no event more here, and no end", async () => {
  const { run, tell, isOver } = await beginShared(async () => {
    throw new LostRunError("run-1");
  });
  tell({ type: "thought-delta", text: "Hm" });
  await isOver;
  expect([run.isLost, run.events, run.outcome]).toEqual([true, [], undefined]);
});
