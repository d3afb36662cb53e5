import { describe, expect, test } from "vitest";
import {
  type Model,
  type ModelEvent,
  noUsage,
  type OnModelEvent,
  type RunContext,
  type Turn,
  withCall,
} from "../../../src/core/model/model.ts";
import { timeoutError } from "../../../src/kit/async/timeout.ts";
import { DuetError, type ErrorDetails } from "../../../src/kit/errors.ts";
import type { CircuitCall } from "../../../src/providers/middleware/circuit-breaker.ts";
import { createEndpoints, type Endpoint } from "../../../src/providers/middleware/endpoints.ts";
import { withRetry } from "../../../src/providers/middleware/retry.ts";
import { into, question } from "../reading.ts";

const done: Turn = {
  message: { role: "assistant", content: "ok", toolCalls: [] },
  finish: "stop",
  usage: noUsage,
};
const content: ModelEvent = { type: "reasoning-delta", text: "Hm." };

function failing(details: Partial<ErrorDetails>): DuetError {
  return new DuetError({ code: "server", text: { zh: "坏了", en: "broken" }, retryable: true, ...details });
}

/** A run that has this much left, in milliseconds. */
function runWith(leftMs: number): RunContext {
  return { id: "run-1", leftMs: () => leftMs };
}

const ranOut = timeoutError("the run", 60_000);

/** Each step is one attempt: what it streams before it throws or its turn is complete. */
function scripted(...attempts: (ModelEvent | Turn | Error)[][]): Model & { asked: number } {
  const model = withCall({
    provider: "test",
    model: "m",
    asked: 0,
    async stream(_: unknown, onEvent: OnModelEvent): Promise<Turn> {
      for (const step of attempts[model.asked++] ?? []) {
        if (step instanceof Error) throw step;
        if ("finish" in step) return step;
        onEvent(step);
      }
      throw new Error("no attempt is left");
    },
  });
  return model;
}

interface Circumstances {
  random?: number;
  abortAt?: number;
  reason?: Error;
  endpoint?: Endpoint;
  run?: RunContext;
}

async function run(model: Model, options: Circumstances = {}) {
  const waits: number[] = [];
  const controller = new AbortController();
  const retrying = withRetry(model, {
    locale: "zh",
    endpoint: options.endpoint,
    random: () => options.random ?? 0,
    sleep: async (ms, signal) => {
      waits.push(ms);
      if (waits.length === options.abortAt) controller.abort(options.reason ?? new Error("stop"));
      signal?.throwIfAborted();
    },
  });
  const events: ModelEvent[] = [];
  try {
    const turn = await retrying.stream({ ...question, run: options.run }, into(events), controller.signal);
    return { waits, events, turn, error: undefined };
  } catch (error) {
    return { waits, events, error };
  }
}

describe("a retry", () => {
  test("is told in the reader's language before it happens", async () => {
    const { events, turn } = await run(scripted([failing({})], [content, done]));
    expect(events).toEqual([
      {
        type: "notice",
        level: "warning",
        code: "retry",
        message: expect.stringMatching(/0\.3 秒后重试 test\/m（1\/3）：坏了/),
      },
      content,
    ]);
    expect(turn).toBe(done);
  });

  test("comes at most three times, each after a longer wait", async () => {
    const model = scripted([failing({})], [failing({})], [failing({})], [failing({ code: "overloaded" })], [done]);
    const { waits, error } = await run(model, { random: 0.999 });
    expect(error).toMatchObject({ code: "overloaded" });
    expect(model.asked).toBe(4);
    expect(waits.map((ms) => Math.round(ms / 100))).toEqual([5, 10, 20]);
  });

  test("waits what the vendor asks, and a little even if it asks nothing", async () => {
    const asked = await run(
      scripted([failing({ code: "rate_limit", retryAfterMs: 24_000 })], [failing({ retryAfterMs: 0 })], [done]),
    );
    expect(asked.waits).toEqual([24_000, 250]);
  });

  test("does not come when the vendor asks for more than a minute", async () => {
    const { waits, error } = await run(scripted([failing({ code: "rate_limit", retryAfterMs: 60_001 })], [done]));
    expect(error).toMatchObject({ code: "rate_limit", retryAfterMs: 60_001 });
    expect(waits).toEqual([]);
  });

  test.each([
    [
      "before the answer must begin",
      false,
      "而 30 秒后就必须开始回答",
      "and 30 s are left before the answer must begin",
    ],
    ["of the run, for the answer", true, "而运行只剩 30 秒", "and the run has 30 s left"],
  ])("does not come when the wait is longer than the time left %s, and the error names both times", async (...row) => {
    const [, isAnswer, zh, en] = row;
    const text = { zh: "test/m：请求过于频繁（HTTP 429）", en: "test/m: rate limit reached (HTTP 429)" };
    const hint = { zh: "请在 55 秒后再试。", en: "Try again in 55 s." };
    const limited = failing({ code: "rate_limit", status: 429, retryAfterMs: 55_000, text, hint });
    const model = scripted([limited], [done]);
    const { error, waits, events } = await run(model, { run: { ...runWith(30_000), isAnswer } });
    expect(error).toMatchObject({
      ...{ code: "rate_limit", status: 429, retryAfterMs: 55_000, hint },
      text: {
        zh: `test/m：请求过于频繁（HTTP 429）（要求等待 55 秒，${zh}）`,
        en: `test/m: rate limit reached (HTTP 429) (it asks to wait 55 s, ${en})`,
      },
    });
    expect({ asked: model.asked, waits, events }).toEqual({ asked: 1, waits: [], events: [] });
  });

  test("comes when the wait fits into what the run has left", async () => {
    const limited = failing({ code: "rate_limit", retryAfterMs: 5000 });
    const { error, waits } = await run(scripted([limited], [done]), { run: runWith(5001) });
    expect({ error, waits }).toEqual({ error: undefined, waits: [5000] });
  });

  test("never comes after a time-out", async () => {
    const model = scripted([failing({ code: "timeout" })], [done]);
    const { error, waits } = await run(model);
    expect(error).toMatchObject({ code: "timeout" });
    expect({ asked: model.asked, waits }).toEqual({ asked: 1, waits: [] });
  });

  test("that times out reports what made it necessary", async () => {
    const first = failing({ code: "overloaded", status: 503 });
    const model = scripted([first], [failing({ code: "server", status: 500 })], [failing({ code: "timeout" })], [done]);
    expect((await run(model)).error).toBe(first);
    expect(model.asked).toBe(3);
  });

  test("that the run has no time for reports what made it necessary, and not that the time ran out", async () => {
    const limited = failing({ code: "rate_limit", status: 429, retryAfterMs: 5000 });
    const whileWaiting = scripted([limited], [done]);
    expect((await run(whileWaiting, { abortAt: 1, reason: ranOut })).error).toBe(limited);
    expect(whileWaiting.asked).toBe(1);
    const whileAsking = scripted([limited], [ranOut]);
    expect((await run(whileAsking)).error).toBe(limited);
  });

  test("that had begun to answer when the run's time ran out reports the time", async () => {
    expect((await run(scripted([failing({})], [content, ranOut]))).error).toBe(ranOut);
  });

  test.each([
    ["content was taken", [content, failing({})]],
    ["the error is final", [failing({ code: "auth", retryable: false })]],
    ["it timed out after content", [content, failing({ code: "timeout" })]],
    ["the error is not one of ours", [new Error("bug")]],
  ])("does not come when %s", async (_, attempt) => {
    const model = scripted(attempt, [done]);
    expect((await run(model)).error).toBe(attempt.at(-1));
    expect(model.asked).toBe(1);
  });

  test("is left at once when the caller stops", async () => {
    const model = scripted([failing({})], [done]);
    expect((await run(model, { abortAt: 1 })).error).toMatchObject({ message: "stop" });
    expect(model.asked).toBe(1);
  });
});

const place = { provider: "test", model: "m", baseUrl: "https://x.example" };

describe("calls that share a model", () => {
  const failures = (count: number, details: Partial<ErrorDetails> = {}) =>
    Array.from({ length: count }, () => [failing(details)]);
  let runs = 0;
  const newRun = (more: Partial<RunContext> = {}): RunContext => ({
    id: `run-${++runs}`,
    leftMs: () => Number.POSITIVE_INFINITY,
    ...more,
  });

  /** As many runs as it takes, one after the other, that find it failing. */
  async function failRuns(endpoint: Endpoint, count = 5, details: Partial<ErrorDetails> = {}): Promise<void> {
    for (let each = 0; each < count; each++) await run(scripted(...failures(4, details)), { endpoint, run: newRun() });
  }

  test("leave it alone after five runs in a row that it failed, and say so without asking it", async () => {
    const endpoint = createEndpoints({ now: () => 0 }).of(place);
    await failRuns(endpoint, 4);
    const fifth = scripted(...failures(20, { status: 500 }));
    await run(fifth, { endpoint, run: newRun() });
    expect(fifth.asked).toBeGreaterThan(0);
    const model = scripted([done]);
    const { error, waits } = await run(model, { endpoint, run: newRun() });
    expect(error).toMatchObject({
      ...{ code: "overloaded", retryable: false, retryAfterMs: 15_000, status: 500 },
      text: {
        zh: "test/m 暂时不可用：最近 5 次请求都失败了，15 秒后再请求它。最近一次失败：坏了",
        en: "test/m is paused for 15 s, because the last 5 requests to it failed. The last failure: broken",
      },
    });
    expect({ asked: model.asked, waits }).toEqual({ asked: 0, waits: [] });
  });

  test("never leave it alone for one run, however often that tries and fails", async () => {
    const endpoint = createEndpoints({ now: () => 0 }).of(place);
    const poison = newRun();
    for (let turn = 0; turn < 10; turn++) await run(scripted(...failures(4)), { endpoint, run: poison });
    const innocent = scripted([content, done]);
    expect((await run(innocent, { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test("never leave it alone for questions on which it was slow", async () => {
    const endpoint = createEndpoints({ now: () => 0 }).of(place);
    await failRuns(endpoint, 20, { code: "timeout" });
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test("forget failures that are more than a minute old", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    await failRuns(endpoint, 4);
    time = 60_001;
    await failRuns(endpoint, 4);
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test("say once when to try again, and what else the last failure was told to need", async () => {
    const hintAfter = async (en: string): Promise<string | undefined> => {
      const endpoint = createEndpoints().of(place);
      await failRuns(endpoint, 5, { hint: { zh: "", en } });
      const { error } = await run(scripted([done]), { endpoint, run: newRun() });
      return error instanceof DuetError ? error.hint?.en : undefined;
    };
    const again = /^Try again in \d+ s, or use another model\.$/;
    expect(await hintAfter("Try again later, or use another model.")).toMatch(again);
    expect(await hintAfter("Start it.")).toMatch(/another model\. Start it\.$/);
  });

  test("try it again after its rest: one call alone, then all when it is answered", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    await failRuns(endpoint);
    time = 15_000;
    const probe = scripted([failing({})], [done]);
    expect((await run(probe, { endpoint, run: newRun() })).error).toMatchObject({ message: "broken" });
    expect(probe.asked).toBe(1);
    expect((await run(scripted([done]), { endpoint })).error).toMatchObject({ code: "overloaded" });
    time = 30_000;
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test("try it at once for a person who asks again: one at a time, and each question once", async () => {
    const endpoint = createEndpoints({ now: () => 0 }).of(place);
    await failRuns(endpoint);
    const person = newRun({ isInteractive: true });
    const probe = scripted([failing({})], [done]);
    expect((await run(probe, { endpoint, run: person })).error).toMatchObject({ message: "broken" });
    expect(probe.asked).toBe(1);
    expect((await run(scripted([done]), { endpoint, run: person })).error).toMatchObject({ code: "overloaded" });
    const circuitCall = endpoint.breaker.enter("test/m", { run: "first", isInteractive: true });
    expect(() => endpoint.breaker.enter("test/m", { run: "second", isInteractive: true })).toThrow("is paused");
    circuitCall.abandon();
    const answered = await run(scripted([done]), { endpoint, run: newRun({ isInteractive: true }) });
    expect(answered.error).toBeUndefined();
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test.each([
    ["a rate limit", failing({ code: "rate_limit", retryable: false })],
    ["a refusal", failing({ code: "invalid_request", retryable: false })],
    ["content", undefined],
  ])("count anew after %s", async (_, error) => {
    const endpoint = createEndpoints({ now: () => 0 }).of(place);
    await failRuns(endpoint, 4);
    await run(scripted(error ? [error] : [content, done]), { endpoint, run: newRun() });
    await failRuns(endpoint, 4);
    expect((await run(scripted([done]), { endpoint, run: newRun() })).error).toBeUndefined();
  });

  test("count runs that fail together once: one blip does not shut a model", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    const passages = Array.from({ length: 30 }, (_, each) => endpoint.breaker.enter("x", { run: each }));
    time = 300;
    for (const circuitCall of passages) circuitCall.failed(failing({}));
    expect(endpoint.breaker.closed).toBe(true);
  });

  test("are refused when run after run fails, also where each begins before the last one has failed", () => {
    let time = 0;
    const { breaker } = createEndpoints({ now: () => time }).of(place);
    const passages: CircuitCall[] = [];
    for (; time < 10_000 && breaker.closed; time += 100) {
      passages.push(breaker.enter("x", { run: time }));
      if (time >= 500) passages.shift()?.failed(failing({}));
    }
    // A run counts where it began after the last that counts: five of them in three seconds.
    expect(breaker.closed).toBe(false);
    expect(time).toBeLessThanOrEqual(3000);
  });

  test("are not refused for longer because a person's own try fails before the time is over", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    await failRuns(endpoint);
    time = 10_000;
    endpoint.breaker.enter("x", { run: "a person's", isInteractive: true }).failed(failing({}));
    expect(endpoint.breaker.pause?.leftMs).toBe(5_000);
    time = 15_000;
    expect(endpoint.breaker.closed).toBe(true);
  });

  test("pass again as soon as the one that tries it is spoken to, not when its answer ends", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    await failRuns(endpoint);
    time = 15_000;
    let other: ReturnType<typeof run> | undefined;
    const probe = withRetry(scripted([content, failing({ retryable: false })]), { endpoint });
    const askMeanwhile = (): void => {
      other = run(scripted([done]), { endpoint });
    };
    await expect(probe.stream(question, askMeanwhile, new AbortController().signal)).rejects.toThrow("broken");
    expect(await other).toMatchObject({ turn: done });
  });

  test("share nothing with the callers of another model at the same address, or of another address", async () => {
    const endpoints = createEndpoints();
    await failRuns(endpoints.of(place));
    for (const other of [
      { ...place, model: "n" },
      { ...place, baseUrl: "https://y.example" },
    ])
      expect((await run(scripted([done]), { endpoint: endpoints.of(other) })).error).toBeUndefined();
    const sameByAnotherName = endpoints.of({ ...place, model: "alias", servedAs: "m" });
    expect((await run(scripted([done]), { endpoint: sameByAnotherName })).error).toMatchObject({ code: "overloaded" });
  });

  test("are listed while they are refused, with the time that is left", async () => {
    let time = 0;
    const endpoints = createEndpoints({ now: () => time });
    await failRuns(endpoints.of(place));
    expect(endpoints.paused()).toEqual([{ model: "test/m", retry_after_s: 15, error: "server" }]);
    time = 10_500;
    expect(endpoints.paused()).toMatchObject([{ retry_after_s: 5 }]);
    time = 15_000;
    expect(endpoints.paused()).toEqual([]);
  });

  test("free the one try of a resting model when its caller stops", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    await failRuns(endpoint);
    time = 15_000;
    const leave = (): never => {
      throw failing({ code: "overloaded" });
    };
    const leaving = withRetry(scripted([content, done]), { endpoint });
    await expect(leaving.stream(question, leave, AbortSignal.abort(new Error("stop")))).rejects.toThrow();
    const early = withRetry(scripted([{ type: "notice", level: "info", code: "x", message: "" }, done]), { endpoint });
    await expect(early.stream(question, leave, new AbortController().signal)).rejects.toThrow("broken");
    expect((await run(scripted([done]), { endpoint })).error).toBeUndefined();
  });

  test("retry at most a tenth as often as they ask, when many meet a limit at once", async () => {
    const endpoint = createEndpoints().of(place);
    const models = Array.from({ length: 200 }, () => scripted(...failures(4, { code: "rate_limit" })));
    await Promise.all(models.map((model) => run(model, { endpoint })));
    const asked = models.reduce((sum, model) => sum + model.asked, 0);
    expect(asked).toBeGreaterThan(200);
    expect(asked).toBeLessThanOrEqual(220);
  });

  test("may always retry a few times, again after a minute", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).of(place);
    const asked = async () => {
      const models = Array.from({ length: 5 }, () => scripted(...failures(4, { code: "rate_limit" })));
      for (const model of models) await run(model, { endpoint });
      return models.map((model) => model.asked);
    };
    expect(await asked()).toEqual([4, 4, 4, 2, 1]);
    time = 60_000;
    expect(await asked()).toEqual([4, 4, 4, 2, 1]);
  });
});
