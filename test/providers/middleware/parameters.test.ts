import { describe, expect, test } from "vitest";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import type { ModelSettings } from "../../../src/core/model/model-settings.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { chooseParameters } from "../../../src/providers/middleware/parameters.ts";
import { toMessagesRequest } from "../../../src/providers/wires/anthropic-messages/request.ts";
import { toChatRequest } from "../../../src/providers/wires/openai-chat/request.ts";
import { toResponsesRequest } from "../../../src/providers/wires/openai-responses/request.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { hear, question, weather } from "../reading.ts";

type Spec = Parameters<typeof resolveModel>[0];

function named(spec: Spec): ModelSettings {
  return resolveModel(spec, createVendorTable({ kimi: { baseUrl: "https://kimi.example/v1" } }), {}, "models.answer");
}

function body(spec: Spec, tools = [weather]): Record<string, unknown> {
  const settings = named(spec);
  const request = { ...question, tools };
  const made = {
    "openai-chat": () => toChatRequest(request, settings),
    "openai-responses": () => toResponsesRequest(request, settings),
    "anthropic-messages": () => toMessagesRequest(request, settings),
  }[settings.wire]();
  return JSON.parse(JSON.stringify(made));
}

function ignored(spec: Spec, tools = [weather]): string[] {
  return chooseParameters({ tools }, named(spec)).ignored.map(({ setting }) => setting);
}

describe("the reasoning effort goes out in the vendor's own words", () => {
  test.each<[Spec, Record<string, unknown>]>([
    [{ provider: "openai", model: "gpt-5-mini", reasoningEffort: "low" }, { reasoning_effort: "low" }],
    [{ provider: "openai", model: "gpt-5.6-sol", reasoningEffort: "low" }, { reasoning: { effort: "low" } }],
    [
      { provider: "deepseek", model: "deepseek-flash", reasoningEffort: "max" },
      { thinking: { type: "enabled" }, reasoning_effort: "max" },
    ],
    [{ provider: "deepseek", model: "deepseek-v4-pro", reasoningEffort: "none" }, { thinking: { type: "disabled" } }],
    [
      { provider: "deepseek", model: "deepseek-reasoner", reasoningEffort: "low" },
      { thinking: { type: "enabled" }, reasoning_effort: "low" },
    ],
    [{ provider: "qwen", reasoningEffort: "high" }, { enable_thinking: true }],
    [{ provider: "qwen", reasoningEffort: "none" }, { enable_thinking: false }],
    [
      { provider: "qwen", model: "qwen3.8-max", reasoningEffort: "high" },
      { enable_thinking: true, reasoning_effort: "high" },
    ],
    [{ provider: "gemini", reasoningEffort: "minimal" }, { reasoning_effort: "minimal" }],
    [
      { provider: "anthropic", model: "claude-opus-5-5", reasoningEffort: "max", maxTokens: 2000 },
      { thinking: { type: "adaptive" }, output_config: { effort: "max" }, max_tokens: 66_000 },
    ],
    [
      { provider: "anthropic", model: "claude-haiku-4-5", reasoningEffort: "low", maxTokens: 2000 },
      { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 3024 },
    ],
    [
      { provider: "anthropic", model: "claude-haiku-4-5", reasoningEffort: "max", maxTokens: 60_000 },
      { thinking: { type: "enabled", budget_tokens: 4000 }, max_tokens: 64_000 },
    ],
  ])("%j", (spec, fields) => {
    expect(body(spec)).toMatchObject(fields);
  });

  test.each<Spec>([
    { provider: "openai", model: "gpt-4o" },
    { provider: "qwen" },
    { provider: "gemini" },
    { provider: "deepseek", model: "deepseek-flash" },
    { provider: "anthropic" },
  ])("and is left to the model when nobody set it: %j", (spec) => {
    for (const field of ["reasoning_effort", "reasoning", "enable_thinking", "thinking", "output_config"]) {
      expect(body(spec)).not.toHaveProperty(field);
    }
  });
});

describe("what a model does not take", () => {
  test.each<[Spec, string[]]>([
    [{ provider: "openai", model: "o4-mini", temperature: 0.3, topP: 0.5 }, ["temperature", "topP"]],
    [{ provider: "openai", model: "o4-mini", reasoningEffort: "none" }, ["reasoningEffort"]],
    [{ provider: "openai", model: "gpt-4o", reasoningEffort: "high" }, ["reasoningEffort"]],
    [{ provider: "openai", model: "gpt-5.2", temperature: 0.3, reasoningEffort: "high" }, ["temperature"]],
    [{ provider: "openai", model: "gpt-5.2", temperature: 0.3 }, []],
    [{ provider: "openai", model: "gpt-4o", maxTokens: 200_000 }, ["maxTokens"]],
    [{ provider: "openai", model: "gpt-5.6-sol", wire: "openai-chat", reasoningEffort: "high" }, ["reasoningEffort"]],
    [{ provider: "anthropic", temperature: 0.3 }, ["temperature"]],
    [{ provider: "anthropic", model: "claude-haiku-4-5", temperature: 0.3 }, []],
    [{ provider: "anthropic", model: "claude-haiku-4-5", temperature: 0.3, topP: 0.5 }, ["temperature"]],
    [{ provider: "anthropic", model: "claude-haiku-4-5", temperature: 0.3, reasoningEffort: "low" }, ["temperature"]],
    [{ provider: "anthropic", model: "claude-3-5-haiku-latest", reasoningEffort: "low" }, ["reasoningEffort"]],
    [{ provider: "deepseek", reasoningEffort: "high" }, ["reasoningEffort"]],
    [{ provider: "deepseek", model: "deepseek-reasoner", temperature: 0.3 }, ["temperature"]],
    [{ provider: "deepseek", temperature: 0.3 }, []],
    [{ provider: "qwen", model: "qwq-plus", reasoningEffort: "none" }, ["reasoningEffort"]],
    [{ provider: "kimi", model: "kimi-k3", temperature: 0.3 }, ["temperature"]],
    [{ provider: "ollama", model: "qwen3", temperature: 0.3, topP: 0.5, reasoningEffort: "low" }, []],
  ])("is named when somebody set it: %j", (spec, settings) => {
    expect(ignored(spec)).toEqual(settings);
  });

  test("is not named when it is a default", () => {
    for (const model of ["o4-mini", "gpt-5.6-sol", "gpt-4o"])
      expect(ignored({ provider: "openai", model })).toEqual([]);
    expect(ignored({ provider: "anthropic" })).toEqual([]);
    expect(ignored({ provider: "deepseek", model: "deepseek-reasoner" })).toEqual([]);
  });

  test("does not go out, but where it is taken and does nothing", () => {
    expect(body({ provider: "openai", model: "o4-mini", temperature: 0.3, topP: 0.5 })).not.toHaveProperty(
      "temperature",
    );
    expect(body({ provider: "openai", model: "gpt-4o", reasoningEffort: "high" })).not.toHaveProperty(
      "reasoning_effort",
    );
    expect(body({ provider: "openai", model: "gpt-4o", maxTokens: 200_000 })).toMatchObject({
      max_completion_tokens: 16_384,
    });
    expect(body({ provider: "deepseek", model: "deepseek-reasoner", temperature: 0.3 })).toMatchObject({
      temperature: 0.3,
    });
  });
});

test("an effort that the vendor does not know is refused before any call", () => {
  expect(() => named({ provider: "openai", reasoningEffort: "hard" })).toThrow(
    /models\.answer\.reasoningEffort.*"hard".*none, minimal, low, medium, high/,
  );
  expect(() => named({ provider: "anthropic", reasoningEffort: "minimal" })).toThrow(/"minimal"/);
});

test("a setting that is not used is told once, with its name, its value, the model and the reason", async () => {
  const fake = await startFakeProvider();
  try {
    fake.script("o4-mini", { text: "Rain." }, { text: "Rain." });
    const settings = { ...named({ provider: "openai", model: "o4-mini", temperature: 0.3 }), baseUrl: fake.openaiUrl };
    const model = createModel({ ...settings, apiKey: "key" }, { locale: "zh" });
    expect((await hear(model)).notices).toEqual(["openai/o4-mini 不使用设置 temperature（0.3）：该模型拒绝此参数"]);
    expect((await hear(model)).notices).toEqual([]);
    expect(fake.requests("o4-mini").map((request) => request.body.temperature)).toEqual([undefined, undefined]);
  } finally {
    await fake.close();
  }
});
