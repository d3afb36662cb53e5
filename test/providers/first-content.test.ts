import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../src/core/model/model.ts";
import type { WireName } from "../../src/core/model/model-settings.ts";
import { MessageReader } from "../../src/providers/wires/anthropic-messages/stream.ts";
import type { TurnProgress } from "../../src/providers/wires/idle-timeout.ts";
import { ChatReader } from "../../src/providers/wires/openai-chat/stream.ts";
import { ResponseReader } from "../../src/providers/wires/openai-responses/stream.ts";
import { settings } from "./reading.ts";

const readers = { "openai-chat": ChatReader, "openai-responses": ResponseReader, "anthropic-messages": MessageReader };

/** What the model has sent once it has sent these events. */
function sentAfter(wire: WireName, events: object[]): TurnProgress {
  const reader = new readers[wire](settings({ wire }), () => "call_1");
  const out: ModelEvent[] = [];
  for (const event of events) {
    const type = "type" in event && typeof event.type === "string" ? event.type : undefined;
    reader.read({ event: type, data: JSON.stringify(event) }, out);
  }
  return reader.sent;
}

const delta = (content: object) => ({ choices: [{ index: 0, delta: content, finish_reason: null }] });
const block = (content_block: object) => ({ type: "content_block_start", index: 0, content_block });
const more = (piece: object) => ({ type: "content_block_delta", index: 0, delta: piece });
const item = (added: object) => ({ type: "response.output_item.added", output_index: 0, item: { id: "i", ...added } });
const thinking = block({ type: "thinking", thinking: "", signature: "" });

describe("what counts as the first content", () => {
  test.each<[WireName, string, object[], TurnProgress]>([
    [
      "openai-chat",
      "a role and empty texts",
      [delta({ role: "assistant", content: "", reasoning_content: "" })],
      "nothing",
    ],
    ["openai-chat", "empty lists", [delta({ tool_calls: [], reasoning_details: [], content: [] })], "nothing"],
    ["openai-chat", "usage alone", [{ choices: [], usage: { prompt_tokens: 9 } }], "nothing"],
    ["openai-chat", "text", [delta({ content: "H" })], "words"],
    ["openai-chat", "the start of a tag", [delta({ content: "<" })], "words"],
    ["openai-chat", "reasoning", [delta({ reasoning_content: "H" })], "words"],
    ["openai-chat", "a call", [delta({ tool_calls: [{ index: 0, id: "a", function: { name: "w" } }] })], "words"],
    [
      "openai-chat",
      "encrypted reasoning",
      [delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] })],
      "thinking",
    ],
    ["openai-chat", "a signature", [delta({ extra_content: { google: { thought_signature: "x" } } })], "thinking"],
    [
      "openai-responses",
      "the response's own beginning",
      [{ type: "response.created" }, { type: "response.in_progress" }],
      "nothing",
    ],
    ["openai-responses", "a message without text", [item({ type: "message", content: [] })], "nothing"],
    [
      "openai-responses",
      "an empty delta",
      [{ type: "response.output_text.delta", output_index: 0, delta: "" }],
      "nothing",
    ],
    ["openai-responses", "text", [{ type: "response.output_text.delta", output_index: 0, delta: "H" }], "words"],
    ["openai-responses", "an item of reasoning", [item({ type: "reasoning", summary: [] })], "thinking"],
    ["openai-responses", "a call", [item({ type: "function_call", name: "w", call_id: "c", arguments: "" })], "words"],
    [
      "anthropic-messages",
      "pings and the message's own beginning",
      [{ type: "message_start", message: {} }, { type: "ping" }],
      "nothing",
    ],
    ["anthropic-messages", "a block of text without text", [block({ type: "text", text: "" })], "nothing"],
    [
      "anthropic-messages",
      "an empty delta",
      [block({ type: "text", text: "" }), more({ type: "text_delta", text: "" })],
      "nothing",
    ],
    [
      "anthropic-messages",
      "text",
      [block({ type: "text", text: "" }), more({ type: "text_delta", text: "H" })],
      "words",
    ],
    ["anthropic-messages", "a block of thinking without text", [thinking], "thinking"],
    ["anthropic-messages", "a signature", [thinking, more({ type: "signature_delta", signature: "x" })], "thinking"],
    ["anthropic-messages", "thinking", [thinking, more({ type: "thinking_delta", thinking: "H" })], "words"],
    ["anthropic-messages", "a redacted block", [block({ type: "redacted_thinking", data: "x" })], "thinking"],
    ["anthropic-messages", "a call", [block({ type: "tool_use", id: "a", name: "w", input: {} })], "words"],
  ])("over %s, %s leaves it at the right state", (wire, _, events, sent) => {
    expect(sentAfter(wire, events)).toBe(sent);
  });
});
