import { describe, expect, test } from "vitest";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent } from "../../../src/core/model/model.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { toChatRequest } from "../../../src/providers/wires/openai-chat/request.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import { answered, question, settings, weather } from "../reading.ts";

function named(provider: string, model?: string, more = {}): ModelSettings {
  return resolveModel({ provider, model, ...more }, createVendorTable({}), {}, "model");
}

function body(settingsOf: ModelSettings, messages: Message[] = question.messages, tools = [weather]) {
  return JSON.parse(JSON.stringify(toChatRequest({ messages, tools }, settingsOf)));
}

function readTurn(chunks: unknown[], settingsOf = settings()) {
  let made = 0;
  const reader = new ChatReader(settingsOf, () => `made-${++made}`);
  const events: ModelEvent[] = [];
  for (const chunk of chunks) reader.read({ data: typeof chunk === "string" ? chunk : JSON.stringify(chunk) }, events);
  return { turn: reader.finishTurn(), events };
}

const delta = (content: unknown, finish: string | null = null) => ({
  choices: [{ delta: content, finish_reason: finish }],
});

describe("a request", () => {
  test("has the messages, the tools and the parameters", () => {
    expect(body(settings({ topP: 0.9 }), answered())).toEqual({
      model: "test-model",
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.7,
      top_p: 0.9,
      max_tokens: 2000,
      tools: [
        {
          type: "function",
          function: { name: "weather", description: weather.description, parameters: weather.inputSchema },
        },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather in Bergen and Oslo?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Bergen"}' } },
            { id: "b", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "rain" },
        { role: "tool", tool_call_id: "b", content: "no such city" },
      ],
    });
  });

  test("names no tools when there are none, and obeys the limit of the request", () => {
    const sent = toChatRequest({ ...question, maxTokens: 7 }, settings());
    expect(sent.tools).toBeUndefined();
    expect(sent.max_tokens).toBe(7);
  });

  test("repairs a history that a vendor would refuse", () => {
    const broken: Message[] = [
      { role: "user", content: "Go." },
      { role: "assistant", content: "", toolCalls: [] },
      { role: "tool", callId: "lost", tool: "x", content: "nobody asked", ok: true },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "a", name: "bad.name", argumentsText: '{"x":', arguments: undefined }],
      },
      { role: "user", content: "And?" },
    ];
    expect(body(settings(), broken).messages).toEqual([
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "bad_name", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "This call was not run." },
      { role: "user", content: "And?" },
    ]);
  });

  test("completes a tool schema without properties", () => {
    const tool = { name: "now", description: "", inputSchema: { $schema: "x", type: "object" } };
    expect(body(settings(), question.messages, [tool]).tools[0].function.parameters).toEqual({
      type: "object",
      properties: {},
    });
  });
});

describe("what vendors want", () => {
  test("DeepSeek: both old names mean the model it serves now, without and with thinking", () => {
    expect(body(named("deepseek", "deepseek-chat"))).toMatchObject({
      model: "deepseek-flash",
      thinking: { type: "disabled" },
    });
    expect(body(named("deepseek", "deepseek-reasoner"))).toMatchObject({
      model: "deepseek-flash",
      thinking: { type: "enabled" },
    });
    expect(body(named("deepseek", "deepseek-v4-pro"))).not.toHaveProperty("thinking");
  });

  test("DeepSeek: every assistant message carries reasoning_content; its own comes back, another model's does not", () => {
    const own = named("deepseek", "deepseek-reasoner");
    const { turn } = readTurn([delta({ reasoning_content: "Rain?" }), delta({ content: "Rain." }, "stop")], own);
    const foreign: Message = { role: "assistant", content: "Hi.", reasoning: "theirs", toolCalls: [] };
    const messages = [...question.messages, turn.message, ...question.messages, foreign, ...question.messages];
    const echoed = (of: ModelSettings) =>
      body(of, messages).messages.map((message: { reasoning_content?: string }) => message.reasoning_content);
    expect(echoed(own)).toEqual([undefined, "Rain?", undefined, "", undefined]);
    expect(echoed(named("deepseek", "deepseek-chat"))).toEqual([undefined, "", undefined, "", undefined]);
    expect(echoed(named("qwen"))).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  test("OpenAI: tools go without reasoning where the wire demands it, and reasoning goes without sampling", () => {
    expect(body(named("openai"))).toMatchObject({
      reasoning_effort: "none",
      temperature: 0.7,
      max_completion_tokens: 2000,
    });
    const thinking = named("openai", "gpt-5.6-sol", { reasoningEffort: "high", wire: "openai-chat" });
    expect(body(thinking)).toMatchObject({ reasoning_effort: "none" });
    expect(body(thinking, question.messages, [])).toMatchObject({ reasoning_effort: "high" });
    expect(body(thinking, question.messages, [])).not.toHaveProperty("temperature");
    expect(body(named("openai", "o4-mini"))).not.toHaveProperty("temperature");
    expect(body(named("openai", "gpt-5-mini"))).not.toHaveProperty("temperature");
    expect(body(named("openai", "gpt-5.2"))).toMatchObject({ temperature: 0.7 });
    expect(body(named("openai", "gpt-4o-mini"))).toMatchObject({ temperature: 0.7 });
    expect(body(named("openai", "gpt-4o-mini"))).not.toHaveProperty("reasoning_effort");
  });

  test("Gemini: signatures go back on the call they came with, and a stranger's call gets the word for that", () => {
    const gemini = named("gemini");
    const extra = { google: { thought_signature: "sig==" } };
    const call = { id: "", function: { name: "weather", arguments: "{}" }, extra_content: extra };
    const { turn } = readTurn(
      [delta({ tool_calls: [call, { function: { name: "other", arguments: "{}" } }] }, "stop"), "[DONE]"],
      gemini,
    );
    expect(turn.message.toolCalls.map((made) => made.id)).toEqual(["made-1", "made-2"]);
    const sent = body(gemini, [...question.messages, turn.message, ...answered()]).messages;
    expect(sent[2].tool_calls[0].extra_content).toEqual(extra);
    const stranger = sent.find((message: { tool_calls?: { id: string }[] }) => message.tool_calls?.[0]?.id === "a");
    expect(stranger.tool_calls[0].extra_content.google.thought_signature).toBe("skip_thought_signature_validator");
    expect(stranger.tool_calls[1]).not.toHaveProperty("extra_content");
  });
});

describe("a stream", () => {
  test("tells deltas that arrive together as one event", () => {
    const { events } = readTurn([
      delta({ reasoning: "a" }),
      delta({ reasoning: "b" }),
      delta({ content: "c" }),
      delta({ content: "d" }, "stop"),
    ]);
    expect(events).toEqual([
      { type: "reasoning-delta", text: "ab" },
      { type: "text-delta", text: "cd" },
    ]);
  });

  test("that is one document, for servers that do not stream, is a turn too", () => {
    const message = { role: "assistant", content: "Rain." };
    expect(readTurn([{ choices: [{ message, finish_reason: "stop" }] }]).turn.message.content).toBe("Rain.");
    const asks = { content: null, tool_calls: [{ id: "", function: { name: "weather", arguments: "{}" } }] };
    const { turn } = readTurn([{ choices: [{ message: asks, finish_reason: "tool_calls" }] }]);
    expect(turn.message.toolCalls).toEqual([{ id: "made-1", name: "weather", argumentsText: "{}", arguments: {} }]);
  });

  test("keeps the words of a refusal out of the answer", () => {
    const { turn, events } = readTurn([
      delta({ refusal: "I can" }),
      delta({ refusal: "not." }),
      delta({}, "stop"),
      "[DONE]",
    ]);
    expect(turn).toMatchObject({ finish: "refused", message: { content: "" } });
    expect(events).toEqual([{ type: "notice", level: "warning", code: "refusal", message: "I cannot." }]);
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["sensitive", "content-filter"],
    ["model_context_window_exceeded", "length"],
  ])("that finishes with %s is %s", (word, finish) => {
    expect(readTurn([delta({ content: "x" }, word)]).turn.finish).toBe(finish);
  });

  test.each([
    ["insufficient_system_resource", "overloaded", true],
    ["network_error", "server", true],
    ["MALFORMED_FUNCTION_CALL", "server", true],
    ["tired", "bad_response", false],
  ])("that finishes with %s fails as %s", (word, code, retryable) => {
    expect(() => readTurn([delta({ content: "x" }, word)])).toThrow(expect.objectContaining({ code, retryable }));
  });

  test.each([
    ["nothing", []],
    ["an empty object", [{}]],
    ["no choices", [{ choices: [] }, "[DONE]"]],
    ["null", ["null"]],
    ["half a chunk", ['{"choices":[{"del']],
    ["only reasoning", [delta({ reasoning_content: "Hm." }, "stop")]],
    ["no finish and no [DONE]", [delta({ content: "x" })]],
    [
      "a call without a name",
      [delta({ tool_calls: [{ index: 0, id: "a", function: { arguments: "{}" } }] }, "tool_calls")],
    ],
  ])("with %s is no turn", (_, chunks) => {
    expect(() => readTurn(chunks)).toThrow(expect.objectContaining({ code: "bad_response" }));
  });

  test.each([
    [{ error: { message: "slow down", code: "rate_limit_exceeded" } }, "rate_limit", true],
    [{ error: { message: "x", status_code: 400, code: "tool_use_failed" } }, "invalid_request", false],
    [{ error: "something odd" }, "server", true],
    [{ error: { message: "Overloaded", code: 503 }, choices: [{ delta: {} }] }, "overloaded", true],
    [{ object: "error", message: "maximum context length is 10 tokens", code: 400 }, "context_overflow", false],
  ])("that brings the error %j fails as %s", (chunk, code, retryable) => {
    expect(() => readTurn([delta({ content: "x" }), chunk])).toThrow(expect.objectContaining({ code, retryable }));
  });

  test("whose usage is nonsense tells none", () => {
    const usage = { prompt_tokens: -5, completion_tokens: 1e12, total_tokens: "7" };
    expect(readTurn([{ ...delta({ content: "x" }, "stop"), usage }]).turn.usage).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
    });
  });
});
