import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createIdleTimeout, type IdleTimeout, type TurnProgress } from "../../../src/providers/wires/idle-timeout.ts";
import { settings } from "../reading.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

let idleTimeout: IdleTimeout;
afterEach(() => idleTimeout.close());

const limits = { timeoutMs: 30_000, idleMs: 60_000 };

function watch(changes = {}): IdleTimeout {
  idleTimeout = createIdleTimeout(settings({ ...limits, ...changes }), new AbortController().signal);
  return idleTimeout;
}

/** What it has aborted with, in English. */
function reason(): unknown {
  return idleTimeout.signal.reason?.message;
}

/** The last millisecond of a limit, after which the sockets are read once more. */
function passLast(): void {
  vi.advanceTimersByTime(1);
  vi.advanceTimersToNextTimer();
}

/** Bytes every five seconds, for so long. */
function hearFor(ms: number): void {
  for (let passed = 0; passed < ms; passed += 5000) {
    vi.advanceTimersByTime(5000);
    idleTimeout.heard();
  }
}

test("the wait for the first content ends after its limit, whatever keeps the connection alive meanwhile", () => {
  watch();
  hearFor(25_000);
  vi.advanceTimersByTime(4999);
  expect(idleTimeout.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(reason()).toBe("test/test-model: timed out: no content within 30 s");
});

test("before the first content, silence that is longer than the idle limit does not matter", () => {
  watch({ timeoutMs: 300_000 });
  idleTimeout.heard();
  vi.advanceTimersByTime(299_999);
  expect(idleTimeout.signal.aborted).toBe(false);
});

test.each<TurnProgress>(["thinking", "words"])(
  "after the first content (%s) only silence is limited, and pings break it",
  (sent) => {
    watch();
    vi.advanceTimersByTime(29_999);
    idleTimeout.sent(sent);
    hearFor(3_600_000);
    expect(idleTimeout.signal.aborted).toBe(false);
    vi.advanceTimersByTime(59_999);
    expect(idleTimeout.signal.aborted).toBe(false);
    passLast();
    expect(reason()).toBe("test/test-model: timed out: the answer stalled for 60 s");
  },
);

test("a model that only shows that it reasons may be as silent as before its first content; one that speaks may not", () => {
  watch({ timeoutMs: 300_000 });
  idleTimeout.sent("thinking");
  vi.advanceTimersByTime(299_999);
  expect(idleTimeout.signal.aborted).toBe(false);
  idleTimeout.sent("words");
  vi.advanceTimersByTime(59_999);
  expect(idleTimeout.signal.aborted).toBe(false);
  passLast();
  expect(reason()).toContain("stalled for 60 s");
});

test("what arrived while the process was busy breaks the silence; after it, silence counts again", async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const readSockets = () => new Promise((resolve) => setImmediate(resolve));
  watch();
  idleTimeout.sent("words");
  vi.advanceTimersByTime(60_000);
  idleTimeout.heard();
  await readSockets();
  expect(idleTimeout.signal.aborted).toBe(false);
  vi.advanceTimersByTime(60_000);
  await readSockets();
  expect(reason()).toContain("stalled for 60 s");
});

test("the caller's abort ends it with the caller's reason, and a closed watch ends nothing", () => {
  const caller = new AbortController();
  idleTimeout = createIdleTimeout(settings(limits), caller.signal);
  const stop = new Error("stop");
  caller.abort(stop);
  expect(idleTimeout.signal.reason).toBe(stop);
  watch();
  idleTimeout.close();
  vi.advanceTimersByTime(600_000);
  expect(idleTimeout.signal.aborted).toBe(false);
});
