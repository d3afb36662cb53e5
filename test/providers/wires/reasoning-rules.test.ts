import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

const user = { role: "user", content: "hello" };
const called = { name: "weather", arguments: "{}" };
const call = { id: "a", type: "function", function: called };
const result = { role: "tool", tool_call_id: "a", content: "rain" };
const tool = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
const sent = { toolCalls: [{ id: "a", name: "weather", arguments: {} }], reasoning: "Hm." };

async function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { authorization: "Bearer x", "x-api-key": "x", "anthropic-version": "2023-06-01" };
  const response = await fetch(fake.url + path, { method: "POST", body: JSON.stringify(body), headers });
  return { status: response.status, text: await response.text() };
}

const chat = (model: string, more: object = {}) => post("/v1/chat/completions", { model, messages: [user], ...more });

/** The second request of a conversation, with a tool turn that goes back in the given form. */
async function chatLoop(model: string, turn: object, more: object = {}): Promise<{ status: number; text: string }> {
  fake.script(model, sent, { text: "ok" });
  await chat(model);
  const assistant = { role: "assistant", content: null, tool_calls: [call], ...turn };
  return chat(model, { messages: [user, assistant, result], ...more });
}

const passed = "The `reasoning_content` in the thinking mode must be passed back to the API.";
const disabled = { thinking: { type: "disabled" } };

describe("reasoning on chat completions", () => {
  test.each([
    ["deepseek-flash", {}, passed],
    ["deepseek-v4-pro", { reasoning_content: "" }, passed],
    ["deepseek-flash", { reasoning_content: "Hm" }, passed],
    ["deepseek-v3.2", {}, "Missing `reasoning_content` field in the assistant message at message index 1"],
    ["kimi-k3", {}, "reasoning_content is missing in assistant tool call message at index 1"],
    ["deepseek-r1", { reasoning_content: "Hm." }, "`reasoning_content` is not allowed"],
  ])("is refused by %s as %j", async (model, turn, words) => {
    const { status, text } = await chatLoop(model, turn);
    expect({ status, message: JSON.parse(text).error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ["deepseek-flash", { reasoning_content: "Hm." }, {}],
    ["deepseek-flash", {}, disabled],
    ["kimi-k3", { reasoning_content: "Hm." }, {}],
    ["deepseek-r1", {}, {}],
    ["gpt-4o", {}, {}],
  ])("is taken by %s as %j", async (model, turn, more) => {
    expect((await chatLoop(model, turn, more)).status).toBe(200);
  });
});

describe("signatures of Gemini", () => {
  const signed = (signature: string) => ({
    tool_calls: [{ ...call, extra_content: { google: { thought_signature: signature } } }],
  });

  test("are demanded in the current turn, with an error that is a list", async () => {
    const { status, text } = await chatLoop("gemini-3.8-flash", {});
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual([
      {
        error: {
          code: 400,
          message: expect.stringContaining("Function call is missing a thought_signature in functionCall parts."),
          status: "INVALID_ARGUMENT",
        },
      },
    ]);
    const before = [user, { role: "assistant", content: null, tool_calls: [call] }, result, user];
    expect((await chat("gemini-3.8-flash", { messages: before })).status).toBe(200);
  });

  test("must be the ones that were sent, or the word for a stranger's call", async () => {
    expect((await chatLoop("gemini-3.8-flash", signed("Zm9v"))).text).toContain("Corrupted thought signature.");
    expect((await chatLoop("gemini-3.1-pro", signed("skip_thought_signature_validator"))).status).toBe(200);
  });
});

describe("thinking blocks of Claude", () => {
  const use = { type: "tool_use", id: "a", name: "weather", input: {} };
  const adaptive = { thinking: { type: "adaptive" } };

  /** The second request, with the blocks that are made of the signature of the first answer. */
  async function loop(blocks: (signature: string) => object[], more: object = adaptive) {
    fake.script("claude-sonnet-5-5", { ...sent, redacted: "opaque" }, { text: "ok" });
    const base = {
      model: "claude-sonnet-5-5",
      max_tokens: 9,
      tools: [{ name: "weather", input_schema: { type: "object" } }],
    };
    const first = await post("/v1/messages", { ...base, messages: [user] });
    const signature = [...first.text.matchAll(/"signature":"([^"]+)"/g)].map(([, half]) => half).join("");
    const answer = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "rain" }] };
    const messages = [user, { role: "assistant", content: [...blocks(signature), use] }, answer];
    return post("/v1/messages", { ...base, messages, ...more });
  }

  const redacted = { type: "redacted_thinking", data: "opaque" };
  const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature });

  test("are taken as they were", async () => {
    expect((await loop((signature) => [redacted, thinking(signature)])).status).toBe(200);
    expect((await loop(() => [], {})).status).toBe(200);
  });

  test.each<[string, (signature: string) => object[], object, string]>([
    [
      "left out",
      () => [],
      adaptive,
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
    [
      "not all there",
      (signature) => [thinking(signature)],
      adaptive,
      "blocks in the latest assistant message cannot be modified",
    ],
    ["changed", (signature) => [redacted, { ...thinking(signature), thinking: "Hm" }], adaptive, "cannot be modified"],
    [
      "forged",
      () => [redacted, thinking("forged")],
      {},
      "messages.1.content.1: Invalid `signature` in `thinking` block",
    ],
  ])("are refused when they are %s", async (_, blocks, more, words) => {
    const { status, text } = await loop(blocks, more);
    expect({ status, message: JSON.parse(text).error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(words),
    });
  });
});

describe("parameters", () => {
  test.each([
    [
      "gpt-5",
      { max_tokens: 9 },
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    ["o4-mini", { temperature: 0 }, "Unsupported parameter: 'temperature'"],
    ["gpt-5.6-terra", { tools: [tool] }, "Function tools with reasoning_effort are not supported for gpt-5.6-terra"],
    ["gpt-6.1-sol", { top_p: 0.5 }, "Unsupported parameter: 'top_p'"],
    ["kimi-k3", { temperature: 0.5 }, "invalid temperature: only 1 is allowed for this model"],
    [
      "m",
      { tools: [{ ...tool, function: { ...tool.function, name: "x".repeat(65) } }] },
      "Expected a string with maximum length 64, but got a string with length 65",
    ],
    [
      "m",
      { messages: [user, { role: "assistant", content: null, tool_calls: [{ ...call, id: "x".repeat(41) }] }] },
      "maximum length 40",
    ],
  ])("are refused by %s: %j", async (model, more, words) => {
    const { status, text } = await chat(model, more);
    expect({ status, message: JSON.parse(text).error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ["claude-sonnet-5-5", { temperature: 0.5 }, "`temperature` is deprecated for this model."],
    [
      "claude-opus-5",
      { thinking: { type: "enabled", budget_tokens: 1024 } },
      '"thinking.type.enabled" is not supported',
    ],
    [
      "claude-haiku-4-5",
      { thinking: { type: "enabled" }, tool_choice: { type: "any" } },
      "tool_choice forces tool use",
    ],
  ])("are refused by %s: %j", async (model, more, words) => {
    const { status, text } = await post("/v1/messages", { model, max_tokens: 9, messages: [user], ...more });
    expect({ status, message: JSON.parse(text).error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(words),
    });
  });
});
