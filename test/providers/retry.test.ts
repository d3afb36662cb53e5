import { describe, expect, test } from "vitest";
import { DuetError, type ErrorDetails } from "../../src/core/errors.ts";
import { type Model, type ModelEvent, noUsage } from "../../src/core/model.ts";
import { createEndpoints, type Endpoint } from "../../src/providers/endpoints.ts";
import { withRetry } from "../../src/providers/retry.ts";
import { question } from "./reading.ts";

const done: ModelEvent = {
  type: "turn-end",
  turn: { message: { role: "assistant", content: "ok", toolCalls: [] }, finish: "stop", usage: noUsage },
};
const content: ModelEvent = { type: "reasoning-delta", text: "Hm." };

function failing(details: Partial<ErrorDetails>): DuetError {
  return new DuetError({ code: "server", text: { zh: "坏了", en: "broken" }, retryable: true, ...details });
}

/** Each step is one attempt: what it streams before it throws. */
function scripted(...attempts: (ModelEvent | Error)[][]): Model & { asked: number } {
  const model = {
    provider: "test",
    model: "m",
    asked: 0,
    async *stream() {
      for (const step of attempts[model.asked++] ?? [new Error("no attempt is left")]) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  return model;
}

interface Circumstances {
  random?: number;
  abortAt?: number;
  limitMs?: number;
  endpoint?: Endpoint;
  now?: () => number;
}

async function run(model: Model, options: Circumstances = {}) {
  const waits: number[] = [];
  const controller = new AbortController();
  const retrying = withRetry(model, {
    locale: "zh",
    limitMs: options.limitMs,
    endpoint: options.endpoint,
    now: options.now,
    random: () => options.random ?? 0,
    sleep: async (ms, signal) => {
      waits.push(ms);
      if (waits.length === options.abortAt) controller.abort(new Error("stop"));
      signal?.throwIfAborted();
    },
  });
  const events: ModelEvent[] = [];
  try {
    for await (const event of retrying.stream(question, controller.signal)) events.push(event);
    return { waits, events, error: undefined };
  } catch (error) {
    return { waits, events, error };
  }
}

describe("a retry", () => {
  test("is told in the reader's language before it happens", async () => {
    const { events } = await run(scripted([failing({})], [content, done]));
    expect(events).toEqual([
      {
        type: "notice",
        level: "warning",
        code: "retry",
        message: expect.stringMatching(/0\.3 秒后重试 test\/m（1\/3）：坏了/),
      },
      content,
      done,
    ]);
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

  test("does not come when the wait would outlast the call", async () => {
    const attempts = [failing({ code: "rate_limit", retryAfterMs: 5000 })];
    const { waits, error } = await run(scripted(attempts, [done]), { limitMs: 4000 });
    expect(error).toBe(attempts[0]);
    expect(waits).toEqual([]);
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

  test("comes after a time-out before the first content, if another as long fits into the limit", async () => {
    let time = 0;
    const slow = scripted([failing({ code: "timeout" })], [failing({ code: "timeout" })], [done]);
    const model: Model = {
      ...slow,
      async *stream(request, signal) {
        time += 30_000;
        yield* slow.stream(request, signal);
      },
    };
    const { error } = await run(model, { limitMs: 61_000, now: () => time });
    expect(error).toMatchObject({ code: "timeout" });
    expect(time).toBe(60_000);
  });
});

describe("calls that share a provider", () => {
  const failures = (count: number, details: Partial<ErrorDetails> = {}) =>
    Array.from({ length: count }, () => [failing(details)]);

  test("leave it alone after eight failures in a row, and say so without asking it", async () => {
    const endpoint = createEndpoints().at("https://x.example");
    const model = scripted(...failures(20));
    await run(model, { endpoint });
    await run(model, { endpoint });
    expect(model.asked).toBe(8);
    const { error, waits } = await run(model, { endpoint });
    expect(error).toMatchObject({
      code: "overloaded",
      retryable: false,
      text: { zh: expect.stringContaining("坏了"), en: expect.stringMatching(/failed 8 times in a row.*15 s.*broken/) },
    });
    expect({ asked: model.asked, waits }).toEqual({ asked: 8, waits: [] });
  });

  test("say once when to try again, and what else the last failure was told to need", async () => {
    const hintAfter = async (en: string): Promise<string | undefined> => {
      const endpoint = createEndpoints().at("https://x.example");
      const model = scripted(...failures(8, { hint: { zh: "", en } }));
      for (let count = 0; count < 2; count++) await run(model, { endpoint });
      const { error } = await run(model, { endpoint });
      return error instanceof DuetError ? error.hint?.en : undefined;
    };
    const again = /^Try again in \d+ s, or use another model\.$/;
    expect(await hintAfter("Try again later, or use another model.")).toMatch(again);
    expect(await hintAfter("Start it.")).toMatch(/another model\. Start it\.$/);
  });

  test("try it again after its rest: one call alone, then all when it is answered", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).at("https://x.example");
    await run(scripted(...failures(4)), { endpoint });
    await run(scripted(...failures(4)), { endpoint });
    time = 15_000;
    const probe = scripted([failing({})], [done]);
    expect((await run(probe, { endpoint })).error).toMatchObject({ message: "broken" });
    expect(probe.asked).toBe(1);
    time = 30_000;
    expect((await run(scripted([done]), { endpoint })).error).toBeUndefined();
    expect((await run(scripted([failing({})], [done]), { endpoint })).error).toBeUndefined();
  });

  test.each([
    ["a rate limit", failing({ code: "rate_limit", retryable: false })],
    ["a refusal", failing({ code: "invalid_request", retryable: false })],
    ["content", undefined],
  ])("count anew after %s", async (_, error) => {
    const endpoint = createEndpoints().at("https://x.example");
    await run(scripted(...failures(4)), { endpoint });
    await run(scripted(error ? [error] : [content, done]), { endpoint });
    const model = scripted(...failures(4));
    await run(model, { endpoint });
    expect(model.asked).toBe(4);
  });

  test("count calls that fail together once: one blip does not shut a provider", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).at("https://x.example");
    const passages = Array.from({ length: 30 }, () => endpoint.breaker.enter("x"));
    time = 300;
    for (const passage of passages) passage.failed(failing({}));
    expect(endpoint.breaker.closed).toBe(true);
  });

  test("pass again as soon as the one that tries it is spoken to, not when its answer ends", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).at("https://x.example");
    for (const _ of [1, 2]) await run(scripted(...failures(4)), { endpoint });
    time = 15_000;
    const probe = withRetry(scripted([content, done]), { endpoint }).stream(question, new AbortController().signal);
    const events = probe[Symbol.asyncIterator]();
    await events.next();
    expect((await run(scripted([done]), { endpoint })).error).toBeUndefined();
    await events.return?.();
  });

  test("do not share anything with the callers of another address", async () => {
    const endpoints = createEndpoints();
    for (const _ of [1, 2]) await run(scripted(...failures(4)), { endpoint: endpoints.at("https://x.example") });
    expect((await run(scripted([done]), { endpoint: endpoints.at("https://y.example") })).error).toBeUndefined();
  });

  test("free the one try of a resting provider when its caller stops", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).at("https://x.example");
    for (const _ of [1, 2]) await run(scripted(...failures(4)), { endpoint });
    time = 15_000;
    const leaving = withRetry(scripted([content, done]), { endpoint });
    for await (const _ of leaving.stream(question, AbortSignal.abort(new Error("stop")))) break;
    const early = withRetry(scripted([{ type: "notice", level: "info", code: "x", message: "" }, done]), { endpoint });
    for await (const _ of early.stream(question, new AbortController().signal)) break;
    expect((await run(scripted([done]), { endpoint })).error).toBeUndefined();
  });

  test("retry at most a tenth as often as they ask, when many meet a limit at once", async () => {
    const endpoint = createEndpoints().at("https://x.example");
    const models = Array.from({ length: 200 }, () => scripted(...failures(4, { code: "rate_limit" })));
    await Promise.all(models.map((model) => run(model, { endpoint })));
    const asked = models.reduce((sum, model) => sum + model.asked, 0);
    expect(asked).toBeGreaterThan(200);
    expect(asked).toBeLessThanOrEqual(220);
  });

  test("may always retry a few times, again after a minute", async () => {
    let time = 0;
    const endpoint = createEndpoints({ now: () => time }).at("https://x.example");
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
