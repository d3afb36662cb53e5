import { describe, expect, test } from "vitest";
import { type ModelSpec, resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent, Turn } from "../../../src/core/model/model.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { toResponsesRequest } from "../../../src/providers/wires/openai-responses/request.ts";
import { ResponseReader } from "../../../src/providers/wires/openai-responses/stream.ts";
import { answered, question, settings, weather } from "../reading.ts";

const wire = "openai-responses";
const responses = (changes: Partial<ModelSettings> = {}) => settings({ wire, ...changes });
const openai = (spec: Partial<ModelSpec>) =>
  resolveModel({ provider: "openai", ...spec }, createVendorTable({}), { OPENAI_API_KEY: "k" }, "models.answer");

/** The body as it goes out. */
function body(of: ModelSettings, messages: Message[] = question.messages, tools = [weather]) {
  return JSON.parse(JSON.stringify(toResponsesRequest({ messages, tools }, of)));
}

function read(events: object[], of = responses()): { events: ModelEvent[]; turn: Turn } {
  const reader = new ResponseReader(of, () => "made-up");
  const out: ModelEvent[] = [];
  for (const event of events) if (!reader.done) reader.read({ data: JSON.stringify(event) }, out);
  return { events: out, turn: reader.finishTurn() };
}

const thought = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Look." }],
  encrypted_content: "gAAA==",
  odd: { b: 1, a: [null] },
};
const comment = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  phase: "commentary",
  content: [{ type: "output_text", text: "Let me look.", annotations: [], logprobs: [] }],
};
const call = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "weather",
  arguments: '{ "city":"Oslo"}',
};

const done = (...items: object[]) =>
  items.map((item, output_index) => ({ type: "response.output_item.done", output_index, item }));
const completed = { type: "response.completed", response: { status: "completed", output: [] } };
const result: Message = { role: "tool", callId: "call_1", tool: "weather", content: "rain", ok: true };

describe("a request", () => {
  test("is stateless, streams, and asks for the reasoning to take it back", () => {
    expect(body(responses(), answered())).toEqual({
      model: "test-model",
      input: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather in Bergen and Oslo?" },
        { type: "function_call", call_id: "a", name: "weather", arguments: '{"city":"Bergen"}' },
        { type: "function_call", call_id: "b", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call_output", call_id: "a", output: "rain" },
        { type: "function_call_output", call_id: "b", output: "no such city" },
      ],
      tools: [
        {
          type: "function",
          name: "weather",
          description: "The weather of a city.",
          parameters: weather.inputSchema,
          strict: false,
        },
      ],
      max_output_tokens: 2000,
      temperature: 0.7,
      reasoning: { summary: "auto" },
      include: ["reasoning.encrypted_content"],
      store: false,
      stream: true,
    });
  });

  test("keeps the output limit between what the wire and what the model takes", () => {
    expect(body(responses({ maxTokens: 1 })).max_output_tokens).toBe(16);
    expect(body(responses({ maxTokens: 500_000, maxOutput: 128_000 })).max_output_tokens).toBe(128_000);
  });

  test("gives a model that reasons no sampling, and one that cannot reason nothing to do with it", () => {
    const reasoning = body(openai({ model: "gpt-6.1-terra", reasoningEffort: "low", topP: 0.5 }));
    expect(reasoning).toMatchObject({ reasoning: { effort: "low", summary: "auto" } });
    expect(reasoning).not.toHaveProperty("temperature");
    expect(reasoning).not.toHaveProperty("top_p");
    expect(body(openai({ model: "gpt-6.1-terra" }))).toMatchObject({ reasoning: { effort: "none" }, temperature: 0.7 });
    expect(body(openai({ model: "gpt-5.4" }))).toMatchObject({ reasoning: { summary: "auto" }, temperature: 0.7 });
    expect(body(openai({ model: "gpt-5", wire }))).not.toHaveProperty("temperature");
    const plain = body(openai({ model: "gpt-4o", wire, reasoningEffort: "high" }));
    expect(plain.temperature).toBe(0.7);
    expect(plain).not.toHaveProperty("reasoning");
    expect(plain).not.toHaveProperty("include");
  });
});

describe("a turn's own items", () => {
  const { turn } = read([...done(thought, comment, call), completed]);
  const conversation = [...question.messages, turn.message, result];

  test("go back byte for byte and in order to the model that wrote them", () => {
    const { input } = JSON.parse(
      JSON.stringify(toResponsesRequest({ messages: conversation, tools: [] }, responses())),
    );
    expect(JSON.stringify(input.slice(1))).toBe(
      JSON.stringify([thought, comment, call, { type: "function_call_output", call_id: "call_1", output: "rain" }]),
    );
  });

  test.each([
    ["another model, with the vendor's own label", { model: "other" }, { phase: "commentary" }],
    ["another provider, without a label that it may not know", { provider: "other" }, {}],
  ])("are told in neutral words to %s", (_, changes, label) => {
    expect(body(responses(changes), conversation).input.slice(1)).toEqual([
      { role: "assistant", content: "Let me look.", ...label },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{ "city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ]);
  });

  test("never hold reasoning without the item that follows it", () => {
    const { turn } = read([...done(thought, comment, { ...thought, id: "rs_2" }), completed]);
    const sent = body(responses(), [...question.messages, turn.message, ...question.messages]).input;
    expect(sent.slice(1, -1)).toEqual([thought, comment]);
  });

  test("stay behind when reasoning came without its content, for an id alone means nothing without a store", () => {
    const { encrypted_content: _, ...bare } = thought;
    const { turn } = read([...done(bare, call), completed]);
    const types = body(responses(), [...question.messages, turn.message, result]).input.map(
      (item: { type?: string }) => item.type,
    );
    expect(types).toEqual([undefined, "function_call", "function_call_output"]);
  });

  test("stay behind when a call has no id of its own, or arguments that are no JSON", () => {
    const nameless = read([...done(thought, { ...call, call_id: "" }), completed]).turn;
    expect(nameless.message.toolCalls[0]?.id).toBe("made-up");
    expect(nameless.message.native).toBeUndefined();
    const broken = read([...done(thought, { ...call, arguments: '{"city":' }), completed]).turn;
    expect(broken.message.toolCalls[0]?.arguments).toBeUndefined();
    const sent = body(responses(), [...question.messages, broken.message, result]).input;
    expect(sent[1]).toEqual({ type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" });
  });

  test("are not kept of a turn that was cut short", () => {
    const incomplete = {
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" } },
    };
    expect(read([...done(thought, comment), incomplete]).turn).toMatchObject({ finish: "length" });
    expect(read([...done(thought, comment), incomplete]).turn.message.native).toBeUndefined();
  });
});

describe("what the server says that a text is", () => {
  const added = (output_index: number, phase?: string) => ({
    type: "response.output_item.added",
    output_index,
    item: { id: `msg_${output_index}`, type: "message", role: "assistant", phase, content: [] },
  });
  const says = (output_index: number, delta: string) => ({
    type: "response.output_text.delta",
    output_index,
    item_id: `msg_${output_index}`,
    delta,
  });

  test("stands on the first event of each message, and the turn has that of the last", () => {
    const { events, turn } = read([
      added(0, "commentary"),
      ...["Let me ", "look. "].map((text) => says(0, text)),
      added(1, "final_answer"),
      ...["It ", "rains."].map((text) => says(1, text)),
      completed,
    ]);
    expect(events).toEqual([
      { type: "text-delta", text: "Let me look. ", phase: "commentary" },
      { type: "text-delta", text: "It rains.", phase: "final_answer" },
    ]);
    expect(turn.message).toMatchObject({ content: "Let me look. It rains.", phase: "final_answer" });
  });

  test("is nothing where it says none, or a word that nobody knows yet", () => {
    for (const phase of [undefined, "aside"]) {
      const { events, turn } = read([added(0, phase), says(0, "It rains."), completed]);
      expect(events).toEqual([{ type: "text-delta", text: "It rains." }]);
      expect(turn.message).not.toHaveProperty("phase");
    }
  });
});

describe("the end of a stream", () => {
  const failed = (error: unknown) => () => read([{ type: "response.failed", response: { status: "failed", error } }]);

  test("that failed is an error of its class", () => {
    expect(failed({ code: "insufficient_quota", message: "No money." })).toThrow(
      expect.objectContaining({ code: "quota", retryable: false }),
    );
    expect(failed({ code: "rate_limit_exceeded", message: "Slow." })).toThrow(
      expect.objectContaining({ code: "rate_limit", retryable: true }),
    );
    expect(failed({ code: "server_error", message: "Oh." })).toThrow(
      expect.objectContaining({ code: "server", retryable: true }),
    );
    expect(failed(null)).toThrow(expect.objectContaining({ code: "server" }));
  });

  test("that is an error event, in either form, is an error", () => {
    const error = { type: "insufficient_quota", code: "insufficient_quota", message: "No money." };
    expect(() => read([{ type: "error", error }])).toThrow(expect.objectContaining({ code: "quota" }));
    expect(() => read([{ ...error, type: "error" }])).toThrow(expect.objectContaining({ code: "quota" }));
    expect(() => read([{ error }])).toThrow(expect.objectContaining({ code: "quota" }));
  });

  test("with an unknown reason is an error that names it", () => {
    const end = { type: "response.incomplete", response: { incomplete_details: { reason: "tired" } } };
    expect(() => read([...done(comment), end])).toThrow(/tired/);
  });

  test("tells the words of a refusal as a notice, not as an answer", () => {
    const delta = { type: "response.refusal.delta", output_index: 0, item_id: "msg_1", delta: "I will not." };
    const { events, turn } = read([delta, completed]);
    expect(turn).toMatchObject({ finish: "refused", message: { content: "" } });
    expect(events).toEqual([{ type: "notice", level: "warning", code: "refusal", message: "I will not." }]);
  });

  test("counts reasoning and cached tokens", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 64 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 130,
    };
    const end = { type: "response.completed", response: { usage } };
    expect(read([...done(comment), end]).turn.usage).toEqual({
      inputTokens: 100,
      outputTokens: 30,
      reasoningTokens: 20,
      cachedTokens: 64,
    });
  });
});

test("a whole response, from a server that does not stream, is a turn too", () => {
  const { turn, events } = read([{ object: "response", status: "completed", output: [thought, comment, call] }]);
  expect(turn).toMatchObject({ finish: "tool-calls", message: { content: "Let me look.", reasoning: "Look." } });
  expect(turn.message.native?.payload).toEqual([thought, comment, call]);
  expect(events.map((event) => event.type)).toEqual(["reasoning-delta", "text-delta"]);
  expect(() => read([{ object: "response", status: "in_progress", output: [] }])).toThrow(/unknown finish reason/);
  expect(() => read([{ choices: [] }])).toThrow(/ended before/);
});
