import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProgressReport, ProgressSender } from "../../../../src/runs/input/progress-pace.ts";
import { createCallProgress, createNotify } from "../../../../src/server/mcp/gateway/call-context.ts";

const sent: [number, string | undefined][] = [];
let confirmed = Promise.withResolvers<void>();
const sender: ProgressSender = {
  send: ({ progress, message }) => void sent.push([progress, message]),
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

function isRising(): boolean {
  return sent.every(([count], index) => count > (sent[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY));
}

test("the first line of our own is sent at once, a flood as at most ten a second, its last line always", async () => {
  const progress = createCallProgress();
  progress.attach(sender);
  for (let line = 1; line <= 1000; line += 1) {
    progress.notify(`line ${line}`);
    vi.advanceTimersByTime(1);
  }
  confirmed.resolve();
  await progress.settle();
  expect(sent[0]?.[1]).toBe("line 1");
  expect(sent.length).toBeLessThanOrEqual(11);
  expect(sent.at(-1)?.[1]).toBe("line 1000");
  expect(isRising()).toBe(true);
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
  expect(sent.map(([, message]) => message)).toEqual(["new"]);
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
  expect(sent.map(([, message]) => message)).toEqual(["a\\u{1b}]52;c;AAAA\\u{7} b"]);
});

test("what a server counts is passed on as it is, at any pace, and lines of ours stand between its counts", async () => {
  const reports: ProgressReport[] = [];
  const progress = createCallProgress();
  progress.attach({ ...sender, send: (report) => void reports.push(report) });
  progress.notify("ours, first");
  const counts = Array.from({ length: 300 }, (_, index) => ({ progress: index + 1, total: 300, message: `${index}` }));
  for (const report of counts) progress.pass(report);
  progress.notify("ours, last");
  confirmed.resolve();
  await progress.settle();
  expect(reports.slice(1, -1)).toEqual(counts);
  expect(reports[0]?.message).toBe("ours, first");
  expect(reports.at(-1)).toMatchObject({ total: 300, message: "ours, last" });
  const values = reports.map((report) => report.progress);
  expect(values).toEqual([...new Set(values)].sort((one, other) => one - other));
});

test("a server that counts in very large numbers leaves room for a line of ours, too", () => {
  const progress = createCallProgress();
  progress.attach(sender);
  progress.pass({ progress: 1e15 });
  vi.advanceTimersByTime(20_000);
  expect(sent.map(([, message]) => message)).toEqual([undefined, "… 9 s", "… 18 s"]);
  expect(isRising()).toBe(true);
});

test("the newest report of a server that no request could carry waits for the next one", () => {
  const progress = createCallProgress();
  progress.pass({ progress: 1, message: "old" });
  progress.pass({ progress: 2, message: "new" });
  progress.attach(sender);
  expect(sent).toEqual([[2, "new"]]);
});

test("a notice goes to the log of a host that wants no progress, at its own level, clean and cut", () => {
  const logged: unknown[] = [];
  const notify = createNotify(createCallProgress(), { log: (entry) => logged.push(entry) }, {});
  notify("a third party gets\nit\u0007");
  notify("x".repeat(600), "warning");
  expect(logged).toEqual([
    { level: "info", logger: "duet", data: "a third party gets it\\u{7}" },
    { level: "warning", logger: "duet", data: "x".repeat(500) },
  ]);
});
