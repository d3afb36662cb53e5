import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ModelEvent } from "../../../src/core/model/model.ts";
import type { ModelSettings, WireName } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { answered, hear, into, question, settings, textOf, weather } from "../reading.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

describe.each<WireName>(["openai-chat", "openai-responses", "anthropic-messages"])("over %s", (wire) => {
  function model(changes: Partial<ModelSettings> = {}) {
    const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
    return createModel(settings({ wire, baseUrl, ...changes }), { sleep: async () => {} });
  }
  const script = (...replies: Parameters<FakeProvider["script"]>[1][]) => fake.script("test-model", ...replies);
  const requests = () => fake.requests("test-model");

  test("text streams and the turn holds it whole, with its usage", async () => {
    script({ text: "It rains in Bergen, 雨 🌧.", chunkSize: 3, delayMs: 1, usage: { input: 120, output: 30 } });
    const events: ModelEvent[] = [];
    const turn = await model().stream(question, into(events), new AbortController().signal);
    expect(events.filter((event) => event.type === "text-delta").length).toBeGreaterThan(3);
    expect(textOf(events, "text-delta")).toBe("It rains in Bergen, 雨 🌧.");
    expect(turn).toMatchObject({
      message: { role: "assistant", content: "It rains in Bergen, 雨 🌧.", toolCalls: [] },
      finish: "stop",
      usage: { inputTokens: 120, outputTokens: 30, reasoningTokens: 0, cachedTokens: 0 },
    });
  });

  test("reasoning streams apart from the text", async () => {
    script({ reasoning: "Think of rain.", text: "It rains." });
    const { text, reasoning, turn } = await hear(model());
    expect({ text, reasoning }).toEqual({ text: "It rains.", reasoning: "Think of rain." });
    expect(turn.message).toMatchObject({ content: "It rains.", reasoning: "Think of rain." });
  });

  test("parallel tool calls arrive apart, also when the provider calls it a stop", async () => {
    const toolCalls = [
      { id: "one", name: "weather", arguments: { city: "Bergen" } },
      { id: "two", name: "weather", arguments: { city: "Oslo" } },
      { id: "three", name: "weather", arguments: "" },
    ];
    const stop = { "openai-chat": "stop", "openai-responses": "completed", "anthropic-messages": "end_turn" }[wire];
    script({ text: "Let me look.", toolCalls }, { toolCalls, finish: stop });
    const { turn } = await hear(model(), { tools: [weather] });
    expect(turn.finish).toBe("tool-calls");
    expect(turn.message.toolCalls).toEqual([
      { id: "one", name: "weather", argumentsText: '{"city":"Bergen"}', arguments: { city: "Bergen" } },
      { id: "two", name: "weather", argumentsText: '{"city":"Oslo"}', arguments: { city: "Oslo" } },
      { id: "three", name: "weather", argumentsText: "", arguments: {} },
    ]);
    expect((await hear(model(), { tools: [weather] })).turn.finish).toBe("tool-calls");
  });

  test("a conversation goes back in a form that the provider takes", async () => {
    script(
      { reasoning: "Hm.", toolCalls: [{ id: "c", name: "weather", arguments: { city: "Bergen" } }] },
      { text: "Rain." },
    );
    const asked = answered();
    const { turn } = await hear(model(), { messages: asked, tools: [weather] });
    const result = { role: "tool", callId: "c", tool: "weather", content: "rain", ok: true } as const;
    const { text } = await hear(model(), { messages: [...asked, turn.message, result], tools: [weather] });
    expect(text).toBe("Rain.");
    expect(JSON.stringify(requests()[1]?.body)).toContain("Be brief.");
  });

  test("a turn names its author and has the wire's own sign of what its text is, which goes back with it", async () => {
    script({ text: "Rain.", chunkSize: 2 }, { text: "Still." });
    const events: ModelEvent[] = [];
    const { message } = await model().stream(question, into(events), new AbortController().signal);
    const phase = wire === "openai-responses" ? "final_answer" : undefined;
    expect(message).toMatchObject({ author: "test/test-model" });
    expect(message.phase).toBe(phase);
    const texts = events.flatMap((event) => (event.type === "text-delta" ? [event] : []));
    expect(texts.map((event) => event.phase)).toEqual([phase, ...texts.slice(1).map(() => undefined)]);
    // As a turn stands in a conversation that keeps no items of its author.
    const { native: _, ...kept } = message;
    await hear(model(), { messages: [...question.messages, kept, ...question.messages] });
    const sent = JSON.stringify(requests()[1]?.body);
    expect(sent.includes('"phase":"final_answer"')).toBe(phase !== undefined);
    expect(sent).not.toContain("author");
  });

  test("only what a request needs goes out in its headers", async () => {
    script({ text: "Hi." });
    await hear(model());
    const headers = requests()[0]?.headers ?? {};
    expect(headers.authorization).toBe("Bearer secret-key-123");
    expect(Object.keys(headers).filter((name) => name.startsWith("x-"))).toEqual([]);
  });

  test.each(["before-finish", "in-tool-call"] as const)("a stream cut %s is an error and no turn", async (cut) => {
    script({ text: "It r", toolCalls: [{ name: "weather", arguments: { city: "Bergen" } }], cut });
    const events: ModelEvent[] = [];
    await expect(model().stream(question, into(events), new AbortController().signal)).rejects.toMatchObject({
      code: "bad_response",
      retryable: true,
    });
    expect(textOf(events, "text-delta")).toBe("It r");
  });

  test("a turn that ran out of tokens says so, and keeps its calls from being run", async () => {
    const words = {
      "openai-chat": "length",
      "openai-responses": "max_output_tokens",
      "anthropic-messages": "max_tokens",
    };
    const finish = words[wire];
    script({ toolCalls: [{ name: "weather", arguments: '{"city":"Ber' }], finish });
    const { turn } = await hear(model());
    expect(turn.finish).toBe("length");
    expect(turn.message.toolCalls[0]?.arguments).toBeUndefined();
  });

  test("an empty reply is an error, after it was tried again", async () => {
    script({ text: " \n" }, {}, {}, {});
    await expect(hear(model())).rejects.toMatchObject({ code: "bad_response" });
  });

  test("an unknown reason to finish is an error", async () => {
    script({ text: "Hi.", finish: "tired" });
    await expect(hear(model())).rejects.toMatchObject({
      code: "bad_response",
      text: { en: expect.stringContaining("tired") },
    });
  });

  test.each(["before-headers", "after-headers"] as const)(
    "a provider that hangs %s is left after the limit of the first content, and not asked again",
    async (hang) => {
      script({ hang }, { text: "never" });
      const error = await hear(model({ timeoutMs: 300 })).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("no content within 0.3 s") });
      await expect.poll(() => requests().map((entry) => entry.aborted)).toEqual([true]);
    },
  );

  test("an answer that falls silent is left after the limit of silence", async () => {
    script({ text: "It rains", hang: "after-text" });
    await expect(hear(model({ idleMs: 80 }))).rejects.toMatchObject({ code: "timeout" });
    await expect.poll(() => requests()[0]?.aborted).toBe(true);
  });

  test("an answer that streams steadily is not cut, however much longer than both limits it takes", async () => {
    const text = "drip ".repeat(40);
    script({ text, chunkSize: 2, delayMs: 10 });
    // The clock of the limits goes on between two pieces, by a part of each limit: how quickly the machine sends does not matter.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let steps = 0;
    let isPlanned = false;
    const goOn = (): void => {
      isPlanned = false;
      steps += 1;
      vi.advanceTimersByTime(100);
    };
    const heard: string[] = [];
    const hearOn = (event: ModelEvent): void => {
      if (event.type !== "text-delta") return;
      heard.push(event.text);
      if (!isPlanned) setImmediate(goOn);
      isPlanned = true;
    };
    await model({ timeoutMs: 500, idleMs: 500 }).stream(question, hearOn, new AbortController().signal);
    expect(heard.join("")).toBe(text);
    expect(steps).toBeGreaterThan(5);
  });

  test.each(["before-headers", "after-headers", "after-text"] as const)(
    "an abort closes the socket when the provider hangs %s",
    async (hang) => {
      script({ text: "It rains", hang });
      const controller = new AbortController();
      const reading = hear(model(), {}, controller.signal);
      reading.catch(() => {});
      await expect.poll(() => requests().length).toBe(1);
      const reason = new Error("enough");
      controller.abort(reason);
      await expect(reading).rejects.toBe(reason);
      await expect.poll(() => requests()[0]?.aborted).toBe(true);
    },
  );

  test("a receiver that throws ends the turn with its error and closes the socket", async () => {
    script({ text: "drip ".repeat(2000), chunkSize: 1, delayMs: 5 });
    const error = new Error("no room");
    const types: string[] = [];
    const refuse = (event: ModelEvent): void => {
      types.push(event.type);
      throw error;
    };
    await expect(model().stream(question, refuse, new AbortController().signal)).rejects.toBe(error);
    await expect.poll(() => requests()[0]?.aborted).toBe(true);
    // What was used until then is told, and nothing else; the model is not asked again.
    expect(types).toEqual(["text-delta", "spent"]);
    expect(requests()).toHaveLength(1);
  });

  test("an aborted signal sends nothing", async () => {
    const reason = new Error("never mind");
    await expect(hear(model(), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(requests()).toHaveLength(0);
  });

  test("a missing key is told before any request, and names its variable", async () => {
    const error = await hear(model({ apiKey: undefined })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "auth",
      retryable: false,
      hint: { zh: expect.stringContaining("TEST_API_KEY") },
    });
    expect(requests()).toHaveLength(0);
  });

  test("a vendor that wants no key gets no authorization header", async () => {
    // The fake wants one, and says so.
    const call = hear(model({ apiKey: undefined, apiKeyEnv: undefined }));
    await expect(call).rejects.toMatchObject({ code: "auth" });
    expect(requests().map(({ headers }) => [headers.authorization, headers["x-api-key"]])).toEqual([
      [undefined, undefined],
    ]);
  });

  test.each([
    [401, "auth", 1],
    [403, "auth", 1],
    [400, "invalid_request", 1],
    [402, "quota", 1],
    [404, "invalid_request", 1],
    [429, "rate_limit", 4],
    [500, "server", 4],
    [503, "overloaded", 4],
    [529, "overloaded", 4],
    [302, "bad_response", 1],
  ] as const)("HTTP %d is %s and is asked for %d times", async (status, code, times) => {
    const reply = { status, body: '{"error":{"message":"no secret-key-123 \\u001b[31m","type":"x"}}' };
    script(reply, reply, reply, reply, reply);
    const error = await hear(model()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(`HTTP ${status}`) });
    expect(String(error)).not.toMatch(/secret-key|\x1b/);
    expect(requests()).toHaveLength(times);
  });

  test("a retry is told, and the answer that follows is whole", async () => {
    script({ status: 503, body: "" }, { text: "It rains." });
    const { text, notices } = await hear(model());
    expect(text).toBe("It rains.");
    expect(notices).toEqual([expect.stringContaining("(1/3)")]);
  });

  test("nothing is tried again once content was taken", async () => {
    script({ text: "It r", cut: "before-finish" }, { text: "never" });
    await expect(hear(model())).rejects.toMatchObject({ code: "bad_response" });
    expect(requests()).toHaveLength(1);
  });

  test("a vendor that asks to wait longer than the run has left is not waited for", async () => {
    script({ status: 429, body: "", headers: { "retry-after": "30" } }, { text: "never" });
    const run = { id: "run-1", leftMs: () => 20_000 };
    await expect(hear(model(), { run })).rejects.toMatchObject({ code: "rate_limit", retryAfterMs: 30_000 });
    expect(requests()).toHaveLength(1);
  });

  test("a refused connection is a network error that names the address", async () => {
    await fake.close();
    const error = await hear(model()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "network", retryable: true, message: expect.stringContaining("ECONNREFUSED") });
    fake = await startFakeProvider();
  });
});
