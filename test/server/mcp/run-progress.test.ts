import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { createRunProgress, type RunProgress } from "../../../src/server/mcp/run-progress.ts";

const sent: { progress: number; message: string | undefined; at: number }[] = [];

/** Fulfilled by the host, so to speak, when it has read what was sent. */
let confirmed = Promise.withResolvers<void>();
const confirm = vi.fn(() => confirmed.promise);

/** The progress of a run that has just begun. */
function begin(): RunProgress {
  const progress = createRunProgress("en");
  progress.attach({
    send: ({ progress: count, message }) => void sent.push({ progress: count, message, at: performance.now() }),
    confirm,
  });
  return progress;
}

/** The progress of a run that has lasted long enough to be told of. */
function start(): RunProgress {
  const progress = begin();
  vi.advanceTimersByTime(100);
  return progress;
}

const phase: AgentEvent = { type: "phase-start", phase: "decide", step: 1, model: "fake/cheap", reason: "choosing" };

function delta(text: string): AgentEvent {
  return { type: "answer-delta", text };
}

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  confirmed = Promise.withResolvers();
  confirm.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("progress", () => {
  test("nothing is sent in the first 100 ms, and all that has come until then at their end", () => {
    const began = performance.now();
    const progress = begin();
    progress.notify("received");
    progress.handle(phase);
    vi.advanceTimersByTime(99);
    progress.handle(delta("word"));
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    const message = "received  ·  🧭 deciding · fake/cheap: choosing  ·  ✍ word";
    expect(sent).toEqual([{ progress: 1, message, at: began + 100 }]);
  });

  test("the run is named in the next message that there is, before its own lines, and is no reason for one", () => {
    const progress = start();
    progress.notify("received");
    progress.nameRun("run-1");
    vi.advanceTimersByTime(1000);
    progress.handle(phase);
    vi.advanceTimersByTime(200);
    progress.handle(delta("word"));
    expect(sent.map(({ message }) => message)).toEqual([
      "received",
      "🆔 run-1  ·  🧭 deciding · fake/cheap: choosing",
      "✍ word",
    ]);
  });

  test("the first event after 100 ms is sent at once", () => {
    start().handle(phase);
    expect(sent.map(({ message }) => message)).toEqual(["🧭 deciding · fake/cheap: choosing"]);
  });

  test("a run that is over within 100 ms sends nothing, and its result waits for nothing", async () => {
    const progress = begin();
    progress.handle(phase);
    vi.advanceTimersByTime(99);
    confirmed.resolve();
    await progress.settle();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent).toEqual([]);
    expect(confirm).not.toHaveBeenCalled();
  });

  test("what still waits for its turn at the end is dropped", async () => {
    const progress = start();
    progress.handle(phase);
    progress.handle(delta("the last word"));
    confirmed.resolve();
    await progress.settle();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent).toHaveLength(1);
    expect(confirm).toHaveBeenCalledOnce();
  });

  test("what comes while the end waits for the host is not sent any more", async () => {
    const progress = start();
    progress.handle(phase);
    const end = progress.settle();
    progress.handle(delta("too late"));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent).toHaveLength(1);
    confirmed.resolve();
    await end;
  });

  test("a stream of deltas becomes at most ten notifications a second, rising", () => {
    const progress = start();
    for (let index = 0; index < 200; index++) {
      progress.handle(delta(`word${index} `));
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(112);
    expect(sent.length).toBeLessThanOrEqual(22);
    expect(sent.length).toBeGreaterThanOrEqual(18);
    expect(sent.map(({ progress: count }) => count)).toEqual(sent.map((_, index) => index + 1));
    expect(sent.at(-1)?.message).toContain("word199");
  });

  test("lines that come together are all told", () => {
    const progress = start();
    progress.handle(phase);
    progress.handle({ type: "tool-start", callId: "1", step: 1, tool: "echo", arguments: { text: "hi" } });
    progress.handle({ type: "notice", level: "warning", code: "x", message: "careful" });
    vi.advanceTimersByTime(120);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.message).toBe('🔧 echo {"text":"hi"}  ·  ⚠ careful');
  });

  test("while nothing happens there is a sign of life within ten seconds, again and again", () => {
    start().handle(phase);
    vi.advanceTimersByTime(60_000);
    const gaps = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
    expect(sent.length).toBeGreaterThanOrEqual(6);
  });

  test("events that say nothing do not put off the sign of life", () => {
    const progress = start();
    progress.handle(phase);
    for (let second = 0; second < 60; second++) {
      progress.handle({ type: "draft-end", draft: 1, kept: "answer" });
      vi.advanceTimersByTime(1000);
    }
    const gaps = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_000);
    expect(sent.length).toBeGreaterThanOrEqual(6);
  });

  test("after the end nothing is sent, and the end waits until the host has read the last notification", async () => {
    const progress = start();
    progress.handle(phase);
    let ended = false;
    const end = progress.settle().then(() => {
      progress.attach(undefined);
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toBe(false);
    confirmed.resolve();
    await end;
    const count = sent.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(count);
  });

  test("when its request is over nothing is sent, neither what was pending nor a sign of life nor what comes later", async () => {
    const progress = start();
    progress.handle(phase);
    progress.handle(delta("pending"));
    progress.attach(undefined);
    await vi.advanceTimersByTimeAsync(20_000);
    progress.handle({ type: "notice", level: "warning", code: "x", message: "late" });
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("control characters never reach a message", () => {
    start().handle({ type: "notice", level: "info", code: "x", message: "a\u001b]52;c;AAAA\u0007b\u202e" });
    expect(sent[0]?.message).toBe("ℹ a\\u{1b}]52;c;AAAA\\u{7}b\\u{202e}");
  });

  test("text that may be a thought or the answer has a sign of its own, and goes when it is known", () => {
    const progress = start();
    progress.handle({ type: "draft-start", draft: 1, step: 1 });
    progress.handle({ type: "draft-delta", draft: 1, text: "It is" });
    vi.advanceTimersByTime(200);
    progress.handle({ type: "draft-end", draft: 1, kept: "answer" });
    progress.handle(delta("It is 42."));
    vi.advanceTimersByTime(200);
    expect(sent.map(({ message }) => message)).toEqual(["💬 It is", "✍ It is 42."]);
  });
});
