import { describe, expect, test } from "vitest";
import { createVendorTable, resolveModel, type VendorSpec } from "../../src/config/models/resolve-model.ts";
import { noUsage, type Usage } from "../../src/core/model.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { calculateCost, findPrice, pricesDate } from "../../src/providers/prices.ts";

function named(provider: string, model?: string, own: Record<string, VendorSpec> = {}) {
  return resolveModel({ provider, model }, createVendorTable(own), {}, "model");
}

const used = (usage: Partial<Usage>): Usage => ({ ...noUsage, ...usage });

describe("a price", () => {
  test("is found for exactly the model and its dated versions, never for a neighbour", () => {
    expect(pricesDate).toBe("2026-11-10");
    expect(findPrice(named("anthropic", "claude-sonnet-5-5"))).toMatchObject({
      input: 2,
      cachedInput: 0.1,
      cacheWrite: 2.5,
    });
    expect(findPrice(named("anthropic", "claude-sonnet-5"))).toMatchObject({ cachedInput: 0.2 });
    expect(findPrice(named("openai", "gpt-4o-mini-2024-07-18"))).toMatchObject({ input: 0.15 });
    expect(findPrice(named("openai", "gpt-4o-2024-05-13"))).toMatchObject({ input: 5 });
    expect(findPrice(named("anthropic", "claude-opus-4-5-20251101"))).toMatchObject({ input: 5 });
    expect(findPrice(named("openai", "gpt-4o-mini-2"))).toBeUndefined();
    expect(findPrice(named("openai", "gpt-4.1x"))).toBeUndefined();
    expect(findPrice(named("openai", "toString"))).toBeUndefined();
  });

  test("of DeepSeek's old names is that of the model which it serves", () => {
    expect(findPrice(named("deepseek"))).toEqual(findPrice(named("deepseek", "deepseek-flash")));
    expect(findPrice(named("deepseek", "deepseek-reasoner"))).toMatchObject({ input: 0.3 });
  });

  test("is not known of a local model, nor of another provider's model of the same name", () => {
    expect(findPrice(named("ollama", "qwen3"))).toBeUndefined();
    const own = { proxy: { baseUrl: "https://proxy.example/v1" } };
    expect(findPrice(named("proxy", "gpt-4o", own))).toBeUndefined();
  });

  test("is what the user says, where the user says one", () => {
    const price = { input: 7, output: 8 };
    const own = {
      deepseek: { prices: { "deepseek-chat": price } },
      proxy: { baseUrl: "https://x.example", prices: { m: price } },
    };
    expect(findPrice(named("deepseek", "deepseek-chat", own))).toEqual(price);
    expect(findPrice(named("deepseek", "deepseek-v4-pro", own))).toMatchObject({ input: 1.32 });
    expect(findPrice(named("proxy", "m", own))).toEqual(price);
  });

  test.each(["deepseek", "openai", "anthropic", "qwen", "gemini"])(
    "is known of the default model of %s",
    (provider) => {
      expect(findPrice(named(provider))).toBeDefined();
    },
  );
});

describe("a cost", () => {
  const price = { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5 };

  test("counts cached input, cache writes and output each at its own price", () => {
    const usage = used({
      inputTokens: 1_000_000,
      cachedTokens: 300_000,
      cacheWriteTokens: 200_000,
      outputTokens: 100_000,
    });
    expect(calculateCost(usage, price)).toBeCloseTo(0.5 * 2 + 0.3 * 0.2 + 0.2 * 2.5 + 0.1 * 10, 12);
  });

  test("takes the price of plain input where there is no other", () => {
    const usage = used({ inputTokens: 1000, cachedTokens: 400, cacheWriteTokens: 100 });
    expect(calculateCost(usage, { input: 2, output: 10 })).toBeCloseTo(0.002, 12);
  });

  test("is that of the higher tier for the whole of a long call", () => {
    const tiered = { input: 2, output: 10, above: { inputTokens: 200_000, input: 4, output: 18 } };
    expect(calculateCost(used({ inputTokens: 200_000 }), tiered)).toBeCloseTo(0.4, 12);
    expect(calculateCost(used({ inputTokens: 200_001, outputTokens: 1000 }), tiered)).toBeCloseTo(0.800004 + 0.018, 12);
  });

  test("is higher for output with reasoning where the vendor says so", () => {
    const plus = findPrice(named("qwen", "qwen-plus"));
    if (!plus) throw new Error("qwen-plus has no price");
    const usage = used({ inputTokens: 1, outputTokens: 1_000_000 });
    expect(calculateCost(usage, plus)).toBeCloseTo(1.2, 5);
    expect(calculateCost({ ...usage, reasoningTokens: 5 }, plus)).toBeCloseTo(4, 5);
  });

  test("is not known without usage, and never negative when a vendor counts oddly", () => {
    expect(calculateCost(noUsage, price)).toBeNull();
    expect(calculateCost(used({ inputTokens: 10, cachedTokens: 50, cacheWriteTokens: 50 }), price)).toBeCloseTo(
      2e-6,
      12,
    );
  });

  test("of a model is null when nobody knows its price", () => {
    const usage = used({ inputTokens: 1000, outputTokens: 100 });
    expect(createModel(named("ollama", "qwen3")).cost?.(usage)).toBeNull();
    expect(createModel(named("openai", "gpt-4o")).cost?.(usage)).toBeCloseTo(0.0035, 12);
  });
});
