import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import { addUsage, type ModelEvent, type ModelRequest, type Turn, type Usage } from "../../../src/core/model/model.ts";
import { type ModelSettings, wires } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { estimateMessageTokens, estimateTokens, estimateToolTokens } from "../../../src/providers/estimate-tokens.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { hear, question, settings, weather } from "../reading.ts";
import { waitForBody } from "./wait-for-response.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const price = { input: 1, output: 2 };
const text = "It rains in Bergen, as it does on most days of the year.";
const call = { name: "weather", arguments: { city: "Bergen" } };
const input = estimateMessageTokens(question.messages);

interface Spent {
  events: ModelEvent[];
  spent: Usage[];
  turn: Turn | undefined;
  /** What was thrown, if anything was. */
  error: unknown;
}

/** Streams one turn, whatever becomes of it. */
async function listen(
  model: ReturnType<typeof createModel>,
  request: Partial<ModelRequest> = {},
  isEnough: (event: ModelEvent) => boolean = () => false,
  controller = new AbortController(),
): Promise<Spent> {
  const events: ModelEvent[] = [];
  const onEvent = (event: ModelEvent): void => {
    events.push(event);
    if (isEnough(event)) controller.abort(new Error("enough"));
  };
  const ending = model.stream({ ...question, ...request }, onEvent, controller.signal);
  const [{ turn, error }] = [
    await ending.then(
      (turn) => ({ turn, error: undefined }),
      (error: unknown) => ({ turn: undefined, error }),
    ),
  ];
  return { events, spent: events.flatMap((event) => (event.type === "spent" ? [event.usage] : [])), turn, error };
}

describe.each(wires)("over %s", (wire) => {
  function model(changes: Partial<ModelSettings> = {}) {
    const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
    return createModel(settings({ wire, baseUrl, price, ...changes }), { sleep: async () => {} });
  }
  const script = (...replies: Parameters<FakeProvider["script"]>[1][]) => fake.script("test-model", ...replies);
  /** Only this wire tells the input first. */
  const toldFirst = wire === "anthropic-messages";

  test("usage that came with an error, or right after it, is kept in place of an estimate", async () => {
    const error = { type: "invalid_request_error", message: "Token limit reached" };
    const told = { prompt_tokens: 43, completion_tokens: 10, input_tokens: 43, output_tokens: 10 };
    const failed = { type: "response.failed", response: { status: "failed", error, usage: told } };
    for (const raw of [[{ type: "error", error, usage: told }], [{ type: "error", error }, failed]]) {
      if (raw.length > 1 && wire !== "openai-responses") continue;
      script({ raw });
      const { spent, error: thrown } = await listen(model());
      expect(thrown).toMatchObject({ message: expect.stringContaining("Token limit reached") });
      expect(spent).toMatchObject([{ inputTokens: 43, outputTokens: 10 }]);
      expect(spent[0]).not.toHaveProperty("estimated", true);
    }
  });

  test("usage that was told stands as it was told, and has its cost", async () => {
    script({ text, usage: { input: 120, output: 30 } });
    const { usage } = (await hear(model())).turn;
    expect(usage).toMatchObject({ inputTokens: 120, outputTokens: 30 });
    expect(usage.estimated).toBeUndefined();
    expect(model().cost?.(usage)).toBeCloseTo(0.00018, 9);
  });

  test.each<[string, { input?: number; output?: number } | null]>([
    ["missing", null],
    ["zero", { input: 0, output: 0 }],
    ["negative", { input: -5, output: -7 }],
    ["absurd", { input: 1e12, output: 1e12 }],
    ["a fraction", { input: 0.5, output: 1.5 }],
  ])("usage that is %s is estimated, marked, and priced as what it is estimated to be", async (_, usage) => {
    script({ reasoning: "Where is it?", text, toolCalls: [call], usage });
    const { turn } = await hear(model(), { tools: [weather] });
    expect(turn.usage).toMatchObject({ inputTokens: input + estimateToolTokens([weather]), estimated: true });
    const said = estimateTokens(`Where is it?\n${text}\nweather {"city":"Bergen"}`);
    expect(turn.usage.outputTokens).toBeGreaterThan(0.8 * said);
    expect(turn.usage.outputTokens).toBeLessThan(1.2 * said);
    const { inputTokens, outputTokens } = turn.usage;
    expect(model().cost?.(turn.usage)).toBeCloseTo((inputTokens + 2 * outputTokens) / 1e6, 9);
  });

  test("half of it that was told is kept", async () => {
    script({ text, usage: { input: 120, output: -1 } });
    const { usage } = (await hear(model())).turn;
    expect(usage).toMatchObject({ inputTokens: 120, outputTokens: estimateTokens(text), estimated: true });
  });

  test("a stream that breaks after text tells what it used before it fails", async () => {
    script({ text, cut: "before-finish" });
    const { events, spent, error } = await listen(model());
    expect(error).toMatchObject({ code: "bad_response" });
    expect(spent).toEqual([
      expect.objectContaining({
        inputTokens: toldFirst ? 10 : input,
        outputTokens: estimateTokens(text),
        estimated: true,
      }),
    ]);
    expect(events.at(-1)?.type).toBe("spent");
  });

  test("each attempt that reached the model is told before the next, and is no part of the turn's own usage", async () => {
    script(
      { toolCalls: [call], cut: "in-tool-call" },
      { toolCalls: [call], cut: "in-tool-call" },
      { text, usage: { input: 120, output: 30 } },
    );
    const { events, turn } = await listen(model());
    const order = events.map(({ type }) => type).filter((type) => type !== "text-delta");
    expect(order).toEqual(["spent", "notice", "spent", "notice"]);
    expect(events[0]).toMatchObject({ usage: { inputTokens: toldFirst ? 10 : input, estimated: true } });
    expect(turn).toMatchObject({ usage: { inputTokens: 120, outputTokens: 30 } });
  });

  test("an empty reply whose usage was told is charged exactly", async () => {
    script({ usage: { input: 120, output: 3 } }, { text });
    const { spent } = await listen(model());
    expect(spent).toEqual([expect.objectContaining({ inputTokens: 120, outputTokens: 3 })]);
    expect(spent[0]?.estimated).toBeUndefined();
  });

  test("a refusal with an error status, and a server that never answers, spend nothing", async () => {
    script({ status: 500, body: "" }, { status: 429, body: "" }, { hang: "before-headers" });
    const { spent, error } = await listen(model({ timeoutMs: 2000 }));
    expect(error).toMatchObject({ code: "server", status: 500 });
    expect(spent).toEqual([]);
  });

  test.each<[string, (stop: AbortController) => void]>([
    ["its caller leaves", (stop) => stop.abort(new Error("enough"))],
    ["its time is over", () => void vi.advanceTimersByTime(20_000)],
  ])("a request that the vendor has accepted is charged when %s before the first word", async (_, end) => {
    script({ hang: "after-headers" });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stop = new AbortController();
    const accepted = waitForBody();
    const listening = listen(model(), {}, () => false, stop);
    await accepted;
    end(stop);
    const { spent } = await listening;
    expect(spent).toEqual([expect.objectContaining({ inputTokens: input, outputTokens: 0, estimated: true })]);
  });

  test("a caller who stops an answer is told what it used", async () => {
    script({ text, hang: "after-text" });
    let heard = "";
    const { spent, error } = await listen(model(), {}, (event) => {
      if (event.type === "text-delta") heard += event.text;
      return heard === text;
    });
    expect(error).toMatchObject({ message: "enough" });
    expect(spent).toEqual([expect.objectContaining({ outputTokens: estimateTokens(text), estimated: true })]);
  });

  test.each<[string, Parameters<FakeProvider["script"]>[1]]>([
    ["as a status", { status: 400, body: '{"error":{"message":"maximum context length is 10 tokens"}}' }],
    ["as 413", { status: 413, body: "" }],
    ["in the stream", { raw: [{ type: "error", error: { message: "prompt is too long: 11 tokens > 10 maximum" } }] }],
  ])("a context overflow that comes %s is asked for once and says so", async (_, reply) => {
    script(reply, { text: "never" });
    const { error, spent } = await listen(model());
    expect(error).toMatchObject({ code: "context_overflow", retryable: false });
    expect(spent).toEqual([]);
    expect(fake.requests("test-model")).toHaveLength(1);
  });
});

test("a model that stops with no room left for a word is not asked again", async () => {
  fake.script("test-model", { text: " ", finish: "model_context_window_exceeded" });
  const { turn } = await hear(
    createModel(settings({ wire: "anthropic-messages", baseUrl: fake.anthropicUrl }), { sleep: async () => {} }),
  );
  expect(turn.finish).toBe("length");
  expect(fake.requests("test-model")).toHaveLength(1);
});

describe("what Anthropic counted before its stream broke", () => {
  const claude = () => createModel(settings({ wire: "anthropic-messages", baseUrl: fake.anthropicUrl, price }));
  const start = { type: "message_start", message: { usage: { input_tokens: 90, output_tokens: 1 } } };
  const overloaded = { type: "error", error: { type: "invalid_request_error", message: "no" } };

  test("is charged as it was told, when there was no answer yet", async () => {
    fake.script("test-model", { raw: [start, overloaded] });
    const { spent } = await listen(claude());
    expect(spent).toEqual([expect.objectContaining({ inputTokens: 90, outputTokens: 1 })]);
    expect(claude().cost?.(spent[0] ?? expect.fail())).toBeCloseTo(0.000092, 9);
  });

  test("keeps its input, and the output is estimated by what arrived", async () => {
    const block = { type: "content_block_start", index: 0, content_block: { type: "text", text } };
    fake.script("test-model", { raw: [start, block, overloaded] });
    const { spent } = await listen(claude());
    expect(spent).toEqual([
      expect.objectContaining({ inputTokens: 90, outputTokens: estimateTokens(text), estimated: true }),
    ]);
  });
});

test("a sum is an estimate as soon as one part of it is", () => {
  const told: Usage = { inputTokens: 1, outputTokens: 2, reasoningTokens: 0, cachedTokens: 0 };
  expect(addUsage(told, { ...told, estimated: true })).toMatchObject({ inputTokens: 2, estimated: true });
  expect(addUsage({ ...told, estimated: true }, told).estimated).toBe(true);
  expect(addUsage(told, told).estimated).toBeUndefined();
});

describe("a model", () => {
  test("knows its window and counts messages without a call", () => {
    const messages: Message[] = [{ role: "user", content: text }];
    const known = createModel(settings({ contextWindow: 128_000 }));
    expect(known.contextWindow).toBe(128_000);
    expect(known.countTokens?.(messages)).toBe(estimateMessageTokens(messages));
    expect(createModel(settings()).contextWindow).toBeUndefined();
  });
});
