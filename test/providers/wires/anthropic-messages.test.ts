import { describe, expect, test } from "vitest";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ModelEvent } from "../../../src/core/model/model.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { toMessagesRequest } from "../../../src/providers/wires/anthropic-messages/request.ts";
import { MessageReader } from "../../../src/providers/wires/anthropic-messages/stream.ts";
import { answered, question, settings, weather } from "../reading.ts";

const claude = settings({ wire: "anthropic-messages", provider: "anthropic", model: "claude-x" });

function body(of: ModelSettings, messages: Message[], tools = [weather]) {
  return JSON.parse(JSON.stringify(toMessagesRequest({ messages, tools }, of)));
}

function readTurn(...events: object[]) {
  const reader = new MessageReader(claude, () => "made");
  const out: ModelEvent[] = [];
  for (const event of events) reader.read({ data: JSON.stringify(event) }, out);
  return { turn: reader.finishTurn(), out };
}

const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const delta = (index: number, more: object) => ({ type: "content_block_delta", index, delta: more });
const end = (stop_reason: string, more = {}) => [
  { type: "message_delta", delta: { stop_reason, ...more }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
];

describe("a request", () => {
  test("has the system prompt apart and the results of a round first in the next user turn", () => {
    expect(body(claude, [...answered(), { role: "user", content: "Go on." }])).toEqual({
      model: "claude-x",
      stream: true,
      max_tokens: 2000,
      temperature: 0.7,
      system: "Be brief.",
      tools: [{ name: "weather", description: weather.description, input_schema: weather.inputSchema }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Weather in Bergen and Oslo?" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "a", name: "weather", input: { city: "Bergen" } },
            { type: "tool_use", id: "b", name: "weather", input: { city: "Oslo" } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "rain" },
            { type: "tool_result", tool_use_id: "b", content: "no such city", is_error: true },
            { type: "text", text: "Go on." },
          ],
        },
      ],
    });
  });

  test("takes another provider's ids, also when they come again in each turn", () => {
    const call = { id: "functions.add:0", name: "add", argumentsText: "{}", arguments: {} };
    const round: Message[] = [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", callId: call.id, tool: "add", content: "5", ok: true },
    ];
    const turns = body(claude, [...question.messages, ...round, ...round]).messages;
    expect(
      turns
        .slice(1)
        .map(
          (turn: { content: { id?: string; tool_use_id?: string }[] }) =>
            turn.content[0]?.id ?? turn.content[0]?.tool_use_id,
        ),
    ).toEqual(["functions_add_0", "functions_add_0", "functions_add_0-2", "functions_add_0-2"]);
  });

  test("answers a call that was cut off, and sends its broken arguments as none", () => {
    const cut: Message = {
      role: "assistant",
      content: " ",
      toolCalls: [{ id: "a", name: "weather", argumentsText: '{"ci', arguments: undefined }],
    };
    expect(body(claude, [...question.messages, cut]).messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "weather", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "a", content: "This call was not run.", is_error: true }],
      },
    ]);
  });

  test("leaves sampling out for models that refuse it, and sends one of temperature and top_p to the others", () => {
    const of = (model: string, more = {}) =>
      body(
        resolveModel({ provider: "anthropic", model, ...more }, createVendorTable({}), {}, "model"),
        question.messages,
      );
    expect(of("claude-sonnet-5-5")).not.toHaveProperty("temperature");
    expect(of("claude-haiku-4-5")).toMatchObject({ temperature: 0.7 });
    expect(of("claude-haiku-4-5", { topP: 0.5 })).toMatchObject({ top_p: 0.5 });
    expect(of("claude-haiku-4-5", { topP: 0.5 })).not.toHaveProperty("temperature");
    expect(of("claude-sonnet-5-5", { reasoningEffort: "low" })).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
  });
});

describe("a thinking turn", () => {
  const { turn } = readTurn(
    start(0, { type: "redacted_thinking", data: "opaque" }),
    start(1, { type: "thinking", thinking: "", signature: "" }),
    delta(1, { type: "thinking_delta", thinking: "Rain" }),
    delta(1, { type: "thinking_delta", thinking: "?" }),
    delta(1, { type: "signature_delta", signature: "si" }),
    delta(1, { type: "signature_delta", signature: "g=" }),
    start(2, { type: "text", text: "" }),
    delta(2, { type: "text_delta", text: "\n\n" }),
    start(3, { type: "tool_use", id: "t", name: "weather", input: {} }),
    delta(3, { type: "input_json_delta", partial_json: "" }),
    ...end("tool_use"),
  );
  const messages: Message[] = [
    ...question.messages,
    turn.message,
    { role: "tool", callId: "t", tool: "weather", content: "rain", ok: true },
  ];

  test("goes back to its author byte for byte, but for blank text", () => {
    expect(body(claude, messages).messages[1].content).toEqual([
      { type: "redacted_thinking", data: "opaque" },
      { type: "thinking", thinking: "Rain?", signature: "sig=" },
      { type: "tool_use", id: "t", name: "weather", input: {} },
    ]);
  });

  test("goes to any other model in neutral words", () => {
    const other = body({ ...claude, model: "claude-y" }, messages).messages[1].content;
    expect(other).toEqual([{ type: "tool_use", id: "t", name: "weather", input: {} }]);
  });
});

describe("a stream", () => {
  test("with a whole input at the start of its block is a call", () => {
    const { turn } = readTurn(
      start(0, { type: "tool_use", id: "t", name: "weather", input: { city: "Bergen" } }),
      ...end("tool_use"),
    );
    expect(turn.message.toolCalls[0]?.arguments).toEqual({ city: "Bergen" });
  });

  test("that refuses says why in a notice", () => {
    const { turn, out } = readTurn(...end("refusal", { stop_details: { explanation: "Not this." } }));
    expect(turn.finish).toBe("refused");
    expect(out).toEqual([{ type: "notice", level: "warning", code: "refusal", message: "Not this." }]);
  });

  test.each([
    ["no message_stop", [start(0, { type: "text", text: "x" })]],
    ["pause_turn", [start(0, { type: "text", text: "x" }), ...end("pause_turn")]],
    ["no content", end("end_turn")],
    ["a list", [[]]],
  ])("with %s is no turn", (_, events) => {
    expect(() => readTurn(...events)).toThrow(expect.objectContaining({ code: "bad_response" }));
  });

  test("that brings an error fails with its class", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    expect(() => readTurn(error)).toThrow(expect.objectContaining({ code: "overloaded", retryable: true }));
  });
});
