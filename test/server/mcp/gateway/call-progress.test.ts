import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProgressSender } from "../../../../src/runs/input/progress-pace.ts";
import { createCallProgress } from "../../../../src/server/mcp/gateway/call-context.ts";

const sent: [number, string][] = [];
let confirmed = Promise.withResolvers<void>();
const sender: ProgressSender = {
  send: (progress, message) => void sent.push([progress, message]),
  confirm: () => confirmed.promise,
};

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  confirmed = Promise.withResolvers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("the first line is sent at once, a flood as at most ten a second, its last line always", async () => {
  const progress = createCallProgress();
  progress.attach(sender);
  for (let line = 1; line <= 1000; line += 1) {
    progress.notify(`line ${line}`);
    vi.advanceTimersByTime(1);
  }
  confirmed.resolve();
  await progress.settle();
  expect(sent[0]).toEqual([1, "line 1"]);
  expect(sent.length).toBeLessThanOrEqual(11);
  expect(sent.at(-1)?.[1]).toBe("line 1000");
  expect(sent.map(([count]) => count)).toEqual(sent.map((_, index) => index + 1));
});

test("a silent call gives a sign of life within ten seconds, again and again", () => {
  const progress = createCallProgress();
  progress.attach(sender);
  vi.advanceTimersByTime(30_000);
  expect(sent.map(([, message]) => message)).toEqual(["… 9 s", "… 18 s", "… 27 s"]);
});

test("nothing is sent while no request carries the call; the newest line waits for the next one", () => {
  const progress = createCallProgress();
  progress.attach(sender);
  progress.attach(undefined);
  progress.notify("old");
  progress.notify("new");
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual([]);
  progress.attach(sender);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual([[1, "new"]]);
  progress.attach(undefined);
  expect(vi.getTimerCount()).toBe(0);
});

test("what follows waits until the host has read the last notification", async () => {
  const progress = createCallProgress();
  progress.attach(sender);
  progress.notify("one");
  let settled = false;
  const end = progress.settle().then(() => {
    settled = true;
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(settled).toBe(false);
  confirmed.resolve();
  await end;
});

test("control characters never reach a message", () => {
  const progress = createCallProgress();
  progress.attach(sender);
  progress.notify("a\u001b]52;c;AAAA\u0007\nb");
  expect(sent).toEqual([[1, "a\\u{1b}]52;c;AAAA\\u{7} b"]]);
});
