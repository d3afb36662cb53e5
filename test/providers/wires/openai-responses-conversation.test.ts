import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import type { Turn } from "../../../src/core/model/model.ts";
import type { ModelSettings, WireName } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { hear, question, settings, weather } from "../reading.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

function model(wire: WireName, name: string, changes: Partial<ModelSettings> = {}) {
  const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
  const quirks = wire === "openai-responses" ? { defaultEffort: "none", noSampling: "while-reasoning" as const } : {};
  return createModel(settings({ wire, baseUrl, model: name, quirks, ...changes }), { sleep: async () => {} });
}

function results(turn: Turn): Message[] {
  return turn.message.toolCalls.map(({ id, name }) => ({
    role: "tool",
    callId: id,
    tool: name,
    content: "rain",
    ok: true,
  }));
}

const asks = (city: string, id: string) => ({
  reasoning: `Where is ${city}?`,
  text: "Let me look.",
  toolCalls: [{ id, name: "weather", arguments: { city } }],
});

describe("a conversation of several tool turns on the Responses wire", () => {
  test("is taken by a provider that checks every item", async () => {
    fake.script("gpt-6-luna", asks("Oslo", "call_a"), asks("Bergen", "call_b"), { reasoning: "So.", text: "Rain." });
    const luna = model("openai-responses", "gpt-6-luna", { reasoningEffort: "low" });
    const messages = [...question.messages];
    for (let step = 0; step < 2; step++) {
      const { turn } = await hear(luna, { messages, tools: [weather] });
      messages.push(turn.message, ...results(turn));
    }
    expect((await hear(luna, { messages, tools: [weather] })).text).toBe("Rain.");
    const { body } = fake.requests("gpt-6-luna")[2] ?? {};
    const types = Array.isArray(body?.input) ? body.input.map(({ type, role }) => type ?? role) : [];
    const turn = ["reasoning", "message", "function_call", "function_call_output"];
    expect(types).toEqual(["user", ...turn, ...turn]);
  });

  test.each([
    ["openai-chat", "openai-responses"],
    ["openai-responses", "openai-chat"],
    ["openai-responses", "anthropic-messages"],
    ["anthropic-messages", "openai-responses"],
  ] as const)("goes on after a switch from %s to %s and back", async (from, to) => {
    fake.script("first", asks("Oslo", "call_a"), asks("Troms", "call_c"), { text: "Rain." });
    fake.script("second", asks("Bergen", "call_b"));
    const messages = [...question.messages];
    for (const one of [model(from, "first"), model(to, "second"), model(from, "first")]) {
      const { turn } = await hear(one, { messages, tools: [weather] });
      messages.push(turn.message, ...results(turn));
    }
    expect((await hear(model(from, "first"), { messages, tools: [weather] })).text).toBe("Rain.");
    expect(fake.unused()).toEqual([]);
  });

  test("goes from one model of the wire to another, without the reasoning that only the first can read", async () => {
    fake.script("gpt-6-luna", asks("Oslo", "call_a"));
    fake.script("gpt-6-sol", { text: "Rain." });
    const { turn } = await hear(model("openai-responses", "gpt-6-luna"), { tools: [weather] });
    const messages = [...question.messages, turn.message, ...results(turn)];
    expect((await hear(model("openai-responses", "gpt-6-sol"), { messages })).text).toBe("Rain.");
  });
});

describe("what is only asked for", () => {
  test("is given up for a model that refuses it, without failing the call, and not asked for again", async () => {
    fake.script("gpt-4o", { text: "One." }, { text: "Two." });
    const plain = model("openai-responses", "gpt-4o", { quirks: {} });
    expect((await hear(plain)).text).toBe("One.");
    expect(fake.requests("gpt-4o").map(({ body }) => [body.reasoning, body.include])).toEqual([
      [{ summary: "auto" }, ["reasoning.encrypted_content"]],
      [undefined, ["reasoning.encrypted_content"]],
      [undefined, undefined],
    ]);
    expect((await hear(plain)).text).toBe("Two.");
    expect(fake.requests("gpt-4o")).toHaveLength(4);
  });

  test("is not given up for another refusal", async () => {
    const strict = model("openai-responses", "gpt-5", { temperature: 1, quirks: {} });
    await expect(hear(strict)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("'temperature'"),
    });
    expect(fake.requests("gpt-5")).toHaveLength(1);
  });
});
