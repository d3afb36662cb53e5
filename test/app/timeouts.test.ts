import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { createDuet, type DuetOptions } from "../../src/index.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../fakes/provider.ts";

/** Sockets go on as they are: only the clock of limits and waits stands still until a test moves it. */
beforeEach(() => {
  vi.stubEnv("OPENAI_API_KEY", "sk-test-openai-0001");
  vi.stubEnv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  return () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  };
});

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
  onTestFinished(() => fake.close());
});

interface Asked {
  outcome(): Outcome | undefined;
  events: AgentEvent[];
  /** Moves the clock and lets everything happen that follows from it. */
  pass(ms: number): Promise<void>;
  /** Waits until the provider has received this many requests. */
  requests(count: number): Promise<void>;
  /** Waits until so much of the answer is there. */
  answered(text: string): Promise<void>;
  ended(): Promise<Outcome>;
}

/** Asks in chat mode with nothing configured but the models, and the run's own limit. */
async function ask(models: DuetOptions["models"], seconds = 3600): Promise<Asked> {
  const config = { search: { enabled: false }, locale: "en" as const };
  const duet = await createDuet({ models, config: { ...config, providers: { openai: { baseUrl: fake.openaiUrl } } } });
  onTestFinished(async () => {
    vi.useRealTimers();
    await duet.close();
  });
  const events: AgentEvent[] = [];
  const run = (async () => {
    const limits = { maxExecutionTimeMs: seconds * 1000 };
    for await (const event of duet.stream("Hello?", { mode: "chat", limits })) events.push(event);
  })();
  run.catch(() => {});
  const outcome = (): Outcome | undefined => {
    const last = events.at(-1);
    return last?.type === "run-end" ? last.outcome : undefined;
  };
  const text = (): string => events.map((event) => (event.type === "answer-delta" ? event.text : "")).join("");
  return {
    events,
    outcome,
    async pass(ms) {
      await vi.advanceTimersByTimeAsync(ms);
      for (let each = 0; each < 5; each++) await turn();
    },
    requests: (count) => expect.poll(() => fake.journal.length).toBe(count),
    answered: (wanted) => expect.poll(text).toBe(wanted),
    async ended() {
      await expect.poll(outcome).toBeDefined();
      await run;
      return outcome() as Outcome;
    },
  };
}

const gpt4 = { functionCall: { provider: "openai", model: "gpt-4" } };

describe("the limits of a model, with nothing set", () => {
  test.each<[string, string, FakeTurn, number, string]>([
    ["a model that says nothing", "gpt-4", { hang: "before-headers" }, 30, "no content within 30 s"],
    ["a model that only answers with its headers", "gpt-4", { hang: "after-headers" }, 30, "no content within 30 s"],
    ["a model that thinks silently", "o3", { hang: "after-headers" }, 300, "no content within 300 s"],
  ])("%s (%s) is left when its time is over: not earlier, with a timeout, and not asked again", async (_, ...row) => {
    const [model, reply, seconds, words] = row;
    fake.script(model, reply, { text: "never" });
    const asked = await ask({ functionCall: { provider: "openai", model } });
    await asked.requests(1);
    await asked.pass(seconds * 1000 - 1000);
    expect(asked.outcome()).toBeUndefined();
    await asked.pass(1000);
    const outcome = await asked.ended();
    expect(outcome).toMatchObject({ status: "failed", stop_reason: "error", error: { code: "timeout" } });
    expect(outcome.error?.message).toContain(words);
    await expect.poll(() => fake.journal.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("an answer that falls silent is left after 60 s, and what came of it is the answer, with an estimate of its tokens", async () => {
    fake.script("gpt-4", { text: "It rains in Bergen.", hang: "after-text" }, { text: "never" });
    const asked = await ask(gpt4);
    await asked.answered("It rains in Bergen.");
    await asked.pass(59_000);
    expect(asked.outcome()).toBeUndefined();
    await asked.pass(1000);
    const outcome = await asked.ended();
    expect(outcome).toMatchObject({ status: "partial", response: "It rains in Bergen.", error: { code: "timeout" } });
    expect(outcome.error?.message).toContain("stalled for 60 s");
    expect(outcome.meta.models.answer.output_tokens).toBeGreaterThan(0);
    expect(fake.journal).toHaveLength(1);
  });

  test("a turn may take as long as its run: at the run's limit, what came of it is the answer", async () => {
    fake.script("gpt-4", { text: "It rains.", hang: "after-text" });
    const asked = await ask(gpt4, 50);
    await asked.answered("It rains.");
    await asked.pass(50_000);
    const outcome = await asked.ended();
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "time_limit", response: "It rains." });
    expect(outcome.error).toMatchObject({ code: "timeout", message: "the run timed out after 50 s" });
  });
});

describe("a vendor that asks to wait", () => {
  const limited: FakeTurn = {
    status: 429,
    body: '{"error":{"message":"slow down"}}',
    headers: { "retry-after": "55" },
  };

  test("longer than the run has left ends it at once, with the limit, the vendor and the time", async () => {
    fake.script("gpt-4", limited, { text: "never" });
    const asked = await ask(gpt4, 30);
    const { status, stop_reason, error } = await asked.ended();
    expect({ status, stop_reason, error }).toEqual({
      status: "failed",
      stop_reason: "error",
      error: {
        code: "rate_limit",
        message: expect.stringMatching(
          /^openai\/gpt-4: rate limit reached \(HTTP 429\): slow down \(it asks to wait 55 s, and the run has \d+ s left\)$/,
        ),
        hint: expect.stringContaining("Try again in 55 s"),
        retry_after_s: 55,
      },
    });
    expect(fake.journal).toHaveLength(1);
  });

  test("less than that is waited for, and then answers", async () => {
    fake.script("gpt-4", limited, { text: "Sunny." });
    const asked = await ask(gpt4, 60);
    await expect.poll(() => asked.events.some((event) => event.type === "notice")).toBe(true);
    await asked.pass(54_000);
    expect(fake.journal).toHaveLength(1);
    await asked.pass(1500);
    expect(await asked.ended()).toMatchObject({ status: "complete", response: "Sunny." });
  });

  test("and then says nothing until the run's time is over is reported as what it first said", async () => {
    fake.script("gpt-4", { ...limited, headers: { "retry-after": "20" } }, { hang: "before-headers" });
    const asked = await ask(gpt4, 40);
    await expect.poll(() => asked.events.some((event) => event.type === "notice")).toBe(true);
    await asked.pass(20_500);
    await asked.requests(2);
    await asked.pass(19_500);
    const outcome = await asked.ended();
    expect(outcome).toMatchObject({ status: "failed", stop_reason: "time_limit", error: { code: "rate_limit" } });
    expect(outcome.error?.message).toContain("HTTP 429");
  });
});

describe("two models", () => {
  const both = {
    functionCall: { provider: "openai", model: "cheap" },
    answer: { provider: "openai", model: "strong" },
  };

  test("with the same key: one that is refused is not tried for the other, and the error is told once", async () => {
    fake.script("strong", { status: 401, body: '{"error":{"message":"bad key","code":"invalid_api_key"}}' });
    const asked = await ask(both);
    const outcome = await asked.ended();
    expect(outcome.error).toMatchObject({ code: "auth", message: expect.stringContaining("openai/strong") });
    expect(fake.journal.map(({ model }) => model)).toEqual(["strong"]);
    expect(JSON.stringify(asked.events).split("bad key")).toHaveLength(2);
  });

  test("a key that may not use one of them is tried for the other", async () => {
    fake.script("strong", { status: 403, body: '{"error":{"message":"no access"}}' });
    fake.script("cheap", { text: "Sunny." });
    expect(await (await ask(both)).ended()).toMatchObject({ response: "Sunny." });
  });

  test("that both fail are reported by the one that was to answer, not by its stand-in", async () => {
    fake.script("strong", { status: 404, body: '{"error":{"message":"no such model"}}' });
    fake.script("cheap", { status: 400, body: '{"error":{"message":"never heard of it"}}' });
    const outcome = await (await ask(both)).ended();
    expect(outcome.error?.message).toContain("openai/strong");
    expect(fake.journal.map(({ model }) => model)).toEqual(["strong", "cheap"]);
  });
});
