import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createCallProgress } from "../../../src/server/gateway/call-progress.ts";
import type { SendProgress } from "../../../src/server/pace.ts";

const sent: [number, string][] = [];
const send: SendProgress = (progress, message) => void sent.push([progress, message]);

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

test("the first line is sent at once, a flood as at most ten a second, its last line always", async () => {
  const progress = createCallProgress();
  progress.attach(send);
  for (let line = 1; line <= 1000; line += 1) {
    progress.tell(`line ${line}`);
    vi.advanceTimersByTime(1);
  }
  const settled = progress.settle();
  await vi.runAllTimersAsync();
  await settled;
  expect(sent[0]).toEqual([1, "line 1"]);
  expect(sent.length).toBeLessThanOrEqual(11);
  expect(sent.at(-1)?.[1]).toBe("line 1000");
  expect(sent.map(([count]) => count)).toEqual(sent.map((_, index) => index + 1));
});

test("a silent call gives a sign of life within ten seconds, again and again", () => {
  const progress = createCallProgress();
  progress.attach(send);
  vi.advanceTimersByTime(30_000);
  expect(sent.map(([, message]) => message)).toEqual(["… 9 s", "… 18 s", "… 27 s"]);
});

test("nothing is sent while no request carries the call; the newest line waits for the next one", () => {
  const progress = createCallProgress();
  progress.attach(send);
  progress.attach(undefined);
  progress.tell("old");
  progress.tell("new");
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual([]);
  progress.attach(send);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([[1, "new"]]);
  progress.attach(undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test("what follows waits until the last notification stands apart", async () => {
  const progress = createCallProgress();
  progress.attach(send);
  progress.tell("one");
  let settled = false;
  void progress.settle().then(() => {
    settled = true;
  });
  await vi.advanceTimersByTimeAsync(5);
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(10);
  expect(settled).toBe(true);
});

test("control characters never reach a message", () => {
  const progress = createCallProgress();
  progress.attach(send);
  progress.tell("a\u001b]52;c;AAAA\u0007\nb");
  expect(sent).toEqual([[1, "a\\u{1b}]52;c;AAAA\\u{7} b"]]);
});
