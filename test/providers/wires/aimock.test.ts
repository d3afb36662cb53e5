// A provider that nobody here wrote: `@copilotkit/aimock` speaks the three wires and checks some of their rules itself.
import { LLMock } from "@copilotkit/aimock";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { AssistantMessage, Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent } from "../../../src/core/model/model.ts";
import { type WireName, wires } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { configFile } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import { hear, heard, into, textOf, weather } from "../reading.ts";

const reasoners: Record<WireName, { provider: string; model: string; keyEnv: string }> = {
  "openai-chat": { provider: "deepseek", model: "deepseek-reasoner", keyEnv: "DEEPSEEK_API_KEY" },
  "openai-responses": { provider: "openai", model: "gpt-5.6-sol", keyEnv: "OPENAI_API_KEY" },
  "anthropic-messages": { provider: "anthropic", model: "claude-sonnet-5-5", keyEnv: "ANTHROPIC_API_KEY" },
};

let aimock: LLMock;
beforeEach(async () => {
  aimock = await LLMock.create({ port: 0, host: "127.0.0.1" });
});
afterEach(() => aimock.stop());

describe.each(wires)("over %s", (wire) => {
  const slept: number[] = [];
  beforeEach(() => {
    slept.length = 0;
  });

  /** The model as the vendor's own row describes it, only at another address. */
  function model() {
    const { provider, model: name, keyEnv } = reasoners[wire];
    const baseUrl = wire === "anthropic-messages" ? aimock.url : `${aimock.url}/v1`;
    const spec = { provider, model: name, baseUrl, wire, reasoningEffort: "low" };
    const settings = resolveModel(spec, createVendorTable({}), { [keyEnv]: "sk-test-0123456789" }, "test");
    return createModel(settings, { sleep: async (ms) => void slept.push(ms) });
  }

  const ask = (content: string): Message[] => [{ role: "user", content }];

  test("chat: the text streams in pieces and comes whole, with its usage", async () => {
    aimock.onMessage(
      "weather",
      {
        content: "It rains in Bergen, 雨 🌧.",
        usage: { prompt_tokens: 21, completion_tokens: 9, input_tokens: 21, output_tokens: 9 },
      },
      { chunkSize: 4, latency: 10 },
    );
    const events: ModelEvent[] = [];
    const asked = { messages: ask("weather?"), tools: [] };
    const whole = await model().stream(asked, into(events), AbortSignal.timeout(9000));
    expect(events.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(1);
    const { text, turn } = heard(events, whole);
    expect(text).toBe("It rains in Bergen, 雨 🌧.");
    expect(turn).toMatchObject({ finish: "stop", usage: { inputTokens: 21, outputTokens: 9 } });
  });

  test("reasoning streams apart from the answer", async () => {
    aimock.onMessage("weather", { content: "Rain.", reasoning: "It is Bergen, so it rains." }, { chunkSize: 3 });
    const { text, reasoning } = await hear(model(), { messages: ask("weather?") });
    expect({ text, reasoning }).toEqual({ text: "Rain.", reasoning: "It is Bergen, so it rains." });
  });

  test("tools: two rounds of calls with reasoning, their results, and the answer", async () => {
    const call = (id: string, city: string) => ({ id, name: "weather", arguments: JSON.stringify({ city }) });
    aimock.on({ toolCallId: "call_three" }, { content: "Rain in all three.", reasoning: "Enough." });
    aimock.on(
      { toolCallId: "call_two" },
      { toolCalls: [call("call_three", "Oslo")], reasoning: "One more.", reasoningSignature: "signature-2" },
    );
    aimock.onMessage("weather", {
      toolCalls: [call("call_one", "Bergen"), call("call_two", "雨城")],
      reasoning: "Two cities.",
      reasoningSignature: "signature-1",
    });
    const conversation = ask("weather in Bergen, 雨城 and Oslo?");
    const first = await hear(model(), { messages: conversation, tools: [weather] });
    expect(first.turn.finish).toBe("tool-calls");
    expect(first.reasoning).toBe("Two cities.");
    expect(first.turn.message.toolCalls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["weather", { city: "Bergen" }],
      ["weather", { city: "雨城" }],
    ]);
    conversation.push(first.turn.message, ...results(first.turn.message));
    const second = await hear(model(), { messages: conversation, tools: [weather] });
    expect(second.turn.message.toolCalls).toMatchObject([{ id: "call_three", arguments: { city: "Oslo" } }]);
    conversation.push(second.turn.message, ...results(second.turn.message));
    const third = await hear(model(), { messages: conversation, tools: [weather] });
    expect(third.text).toBe("Rain in all three.");
    expect(aimock.getRequests()).toHaveLength(3);
  });

  test("a 429 is waited out for as long as its retry-after says, and told", async () => {
    aimock.nextRequestError(429, { message: "Too many requests", type: "rate_limit_error" });
    aimock.onMessage("weather", { content: "Rain." });
    const { text, notices } = await hear(model(), { messages: ask("weather?") });
    expect(text).toBe("Rain.");
    expect(notices).toEqual([expect.stringMatching(/in 1\.\d s \(1\/3\).*Too many requests/)]);
    expect(slept).toEqual([expect.toSatisfy((ms: number) => ms >= 1000 && ms < 1500)]);
  });

  test("a 429 that asks for more than a minute ends the call, and the hint names the time", async () => {
    aimock.on({ userMessage: "weather" }, { error: { message: "Slow down" }, status: 429, retryAfter: 300 });
    const error = await hear(model(), { messages: ask("weather?") }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "rate_limit",
      retryAfterMs: 300_000,
      hint: { en: "Try again in 5 min, or use another model." },
    });
    expect(slept).toEqual([]);
  });

  test.each([1, 2, 3, 5])("a stream that is cut after %d chunks is never an answer", async (truncateAfterChunks) => {
    const content = "It rains in Bergen as it always did, and it will rain tomorrow.";
    aimock.onMessage("weather", { content, reasoning: "Bergen." }, { chunkSize: 3, truncateAfterChunks });
    const { events, error } = await broken();
    expect(error).toMatchObject({ code: expect.stringMatching(/^(bad_response|network)$/) });
    expect(content).toContain(textOf(events, "text-delta"));
  });

  test("a stream that is cut within a tool call gives no call", async () => {
    const toolCalls = [{ id: "call_one", name: "weather", arguments: '{"city":"Bergen, Norway"}' }];
    aimock.onMessage("weather", { toolCalls }, { chunkSize: 4, truncateAfterChunks: 4 });
    const { error } = await broken();
    expect(error).toMatchObject({ code: expect.stringMatching(/^(bad_response|network)$/) });
  });

  test.each([
    ["malformedRate", "bad_response"],
    ["dropRate", "server"],
    ["disconnectRate", "network"],
  ])("chaos of the kind %s is a %s error after its retries", async (kind, code) => {
    aimock.onMessage("weather", { content: "never" }, { chaos: { [kind]: 1 } });
    const { error } = await broken();
    expect(error).toMatchObject({ code, hint: { zh: expect.any(String), en: expect.any(String) } });
    expect(slept).toHaveLength(3);
  });

  test("a model that the provider does not have is refused once, with a remedy", async () => {
    aimock.on(
      { userMessage: "weather" },
      {
        error: { message: "The model does not exist", type: "not_found_error", code: "model_not_found" },
        status: 404,
      },
    );
    const { error } = await broken();
    expect(error).toMatchObject({ code: "model_not_found", hint: { en: expect.stringContaining("model's name") } });
    expect(slept).toEqual([]);
  });

  async function broken(): Promise<{ events: ModelEvent[]; error: unknown }> {
    let events: ModelEvent[] = [];
    const keepLastAttempt = (event: ModelEvent): void => {
      if (event.type === "notice") events = [];
      else events.push(event);
    };
    try {
      const asked = { messages: ask("weather?"), tools: [weather] };
      await model().stream(asked, keepLastAttempt, AbortSignal.timeout(9000));
    } catch (error) {
      return { events, error };
    }
    throw new Error("The stream ended as if it were whole.");
  }
});

test("the program itself: one vendor picks the tool, another writes the answer", async () => {
  aimock.on({ model: "gpt-4o-mini", hasToolResult: true }, { content: "enough" });
  aimock.on(
    { model: "gpt-4o-mini" },
    { toolCalls: [{ id: "call_sum", name: "calculator", arguments: JSON.stringify({ expression: "6*7" }) }] },
  );
  aimock.on({ model: /^claude/ }, { content: "6 × 7 = 42.", reasoning: "The tool said 42." });
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "gpt-4o-mini", baseUrl: `${aimock.url}/v1` },
      answer: { provider: "anthropic", model: "claude-sonnet-5-5", baseUrl: aimock.url },
    },
  });
  const env = { OPENAI_API_KEY: "sk-test-0123456789", ANTHROPIC_API_KEY: "sk-ant-test-0123456789" };
  const { code, stdout } = await runProgram(["ask", "What is 6*7?", "--config", config, "--output", "json"], { env });
  const outcome = JSON.parse(stdout);
  expect(outcome.tool_calls).toMatchObject([{ tool: "calculator", ok: true }]);
  expect(outcome.response).toBe("6 × 7 = 42.");
  expect(code).toBe(0);
});

function results(message: AssistantMessage): Message[] {
  return message.toolCalls.map(({ id, name }) => ({ role: "tool", callId: id, tool: name, content: "rain", ok: true }));
}
