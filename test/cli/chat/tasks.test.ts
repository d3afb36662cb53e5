import { expect, test } from "vitest";
import { createTasks } from "../../../src/cli/chat/tasks.ts";

test("a stop is for the inner one of two tasks, what it throws is reported, and the outer one can be stopped afterwards", async () => {
  const log: string[] = [];
  const tasks = createTasks({
    signal: new AbortController().signal,
    onFailure: (thrown, stop) => log.push(`${thrown}, stopped: ${stop.aborted}`),
    onEnd: () => log.push(`over, more goes on: ${tasks.isRunning}`),
  });
  expect(tasks.stop()).toBe(false);
  const outer = tasks.run(async (outerStop) => {
    const inner = tasks.run(async (stop) => {
      expect(tasks.stop()).toBe(true);
      stop.throwIfAborted();
    });
    expect(await inner).toBeUndefined();
    expect(outerStop.aborted).toBe(false);
    expect(tasks.stop()).toBe(true);
    return outerStop.aborted;
  });
  expect(await outer).toBe(true);
  expect(log[0]).toMatch(/AbortError.*, stopped: true/);
  expect(log.slice(1)).toEqual(["over, more goes on: true", "over, more goes on: false"]);
});

test("a task that is told to be over cannot be stopped, and the end of the chat stops every one", async () => {
  const chat = new AbortController();
  const tasks = createTasks({ signal: chat.signal, onFailure() {}, onEnd() {} });
  await tasks.run(async (stop) => {
    tasks.finish();
    expect([tasks.isRunning, tasks.stop(), stop.aborted]).toEqual([false, false, false]);
    chat.abort();
    expect(stop.aborted).toBe(true);
  });
});

test("leaving waits for what is going on, and leaving at once stops it", async () => {
  const tasks = createTasks({ signal: new AbortController().signal, onFailure() {}, onEnd() {} });
  await tasks.run(async (stop) => {
    expect(tasks.isLeaving).toBe(false);
    tasks.leave();
    expect([tasks.isLeaving, stop.aborted]).toEqual([true, false]);
    tasks.leaveAtOnce();
    expect([tasks.isLeaving, stop.aborted]).toEqual([true, true]);
  });
});
