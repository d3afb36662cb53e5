import { expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { toChatRequest } from "../../../src/providers/wires/openai-chat/request.ts";
import { ChatReader } from "../../../src/providers/wires/openai-chat/stream.ts";
import { settings } from "../reading.ts";

const gateway = settings({ provider: "openrouter", model: "google/gemini-3.8-flash" });

/** What goes back of a turn whose details came in these pieces. */
function sentBack(pieces: unknown[][], to: ModelSettings = gateway): unknown {
  const reader = new ChatReader(gateway, () => "made");
  const deltas = [...pieces.map((details) => ({ reasoning_details: details })), { content: "Rain." }];
  for (const delta of deltas) reader.read({ data: JSON.stringify({ choices: [{ delta }] }) }, []);
  reader.read({ data: '{"choices":[{"delta":{},"finish_reason":"stop"}]}' }, []);
  const question: Message = { role: "user", content: "Weather?" };
  const messages = [question, reader.finishTurn().message, question];
  return toChatRequest({ messages, tools: [] }, to).messages[1];
}

const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
const opaque = { type: "reasoning.encrypted", data: "EjQK==", format: "google-gemini-v1", id: "tool_1", index: 0 };

test("the pieces of a gateway's reasoning go back as one, with the signature that came last", () => {
  const pieces = [
    [{ ...text, text: "It ra" }],
    [{ ...text, text: "ins.", signature: null }],
    [{ ...text, signature: "sig" }],
  ];
  expect(sentBack(pieces)).toMatchObject({ reasoning_details: [{ ...text, text: "It rains.", signature: "sig" }] });
});

test("another block, and what is opaque, goes back as it came and in its order", () => {
  const next = { ...text, index: 1, text: "And wind." };
  const pieces = [
    [{ ...text, text: "Rain.", signature: "a" }],
    [{ ...text, text: "Snow.", signature: "b" }, next],
    [opaque],
    [opaque],
  ];
  expect(sentBack(pieces)).toMatchObject({ reasoning_details: [...pieces.flat()] });
});

test("another provider gets none of it", () => {
  expect(sentBack([[opaque]], { ...gateway, provider: "gemini" })).toEqual({ role: "assistant", content: "Rain." });
});
