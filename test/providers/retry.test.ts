import { describe, expect, test } from "vitest";
import { DuetError, type ErrorDetails } from "../../src/core/errors.ts";
import { type Model, type ModelEvent, noUsage } from "../../src/core/model.ts";
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

async function run(model: Model, options: { random?: number; abortAt?: number; limitMs?: number } = {}) {
  const waits: number[] = [];
  const controller = new AbortController();
  const retrying = withRetry(model, {
    locale: "zh",
    limitMs: options.limitMs,
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
    ["our own limit ran out", [failing({ code: "timeout" })]],
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
