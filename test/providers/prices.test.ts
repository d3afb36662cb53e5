import { describe, expect, test } from "vitest";
import { resolveModel } from "../../src/config/models/resolve-model.ts";
import { createVendorTable, type VendorSpec } from "../../src/config/models/vendor-table.ts";
import { noUsage, supportsFunctionCalling, type Usage } from "../../src/core/model/model.ts";
import type { ListPrice } from "../../src/core/model/model-settings.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { addKnownFacts, listKnownModels } from "../../src/providers/known-models/known-models.ts";
import { findList, type KnownRow } from "../../src/providers/known-models/lists.ts";
import { calculateCost } from "../../src/providers/prices.ts";
import { vendors } from "../../src/providers/vendors.ts";

function named(provider: string, model?: string, own: Record<string, VendorSpec> = {}) {
  return resolveModel({ provider, model }, createVendorTable(own), {}, "model");
}

async function findPrice(settings: ReturnType<typeof named>): Promise<ListPrice | undefined> {
  return (await addKnownFacts(settings)).price;
}

const used = (usage: Partial<Usage>): Usage => ({ ...noUsage, ...usage });

describe("a price", () => {
  test("is found for exactly the model and its dated versions, never for a neighbour", async () => {
    expect(await findPrice(named("anthropic", "claude-sonnet-5-5"))).toEqual({
      input: 2,
      output: 10,
      cachedInput: 0.1,
      cacheWrite: 2.5,
    });
    expect(await findPrice(named("anthropic", "claude-sonnet-5"))).toMatchObject({ cachedInput: 0.2 });
    expect(await findPrice(named("openai", "gpt-4o-mini-2024-07-18"))).toMatchObject({ input: 0.15 });
    expect(await findPrice(named("openai", "gpt-4o-2024-05-13"))).toMatchObject({ input: 5 });
    expect(await findPrice(named("anthropic", "claude-opus-4-5-20251101"))).toMatchObject({ input: 5 });
    expect(await findPrice(named("openai", "gpt-4o-mini-2"))).toBeUndefined();
    expect(await findPrice(named("openai", "gpt-4.1x"))).toBeUndefined();
    expect(await findPrice(named("openai", "toString"))).toBeUndefined();
  });

  test("of DeepSeek's old names is that of the model which it serves", async () => {
    expect(await findPrice(named("deepseek"))).toEqual(await findPrice(named("deepseek", "deepseek-flash")));
    expect(await findPrice(named("deepseek", "deepseek-reasoner"))).toMatchObject({ input: 0.3 });
  });

  test("is not known of a local model, nor of another provider's model of the same name", async () => {
    expect(await findPrice(named("ollama", "qwen3"))).toBeUndefined();
    const own = { proxy: { baseUrl: "https://proxy.example/v1" } };
    expect(await findPrice(named("proxy", "gpt-4o", own))).toBeUndefined();
  });

  test("is what the user says, where the user says one", async () => {
    const price = { input: 7, output: 8 };
    const own = {
      deepseek: { prices: { "deepseek-chat": price } },
      proxy: { baseUrl: "https://x.example", prices: { m: price } },
    };
    expect(await findPrice(named("deepseek", "deepseek-chat", own))).toEqual(price);
    expect(await findPrice(named("deepseek", "deepseek-v4-pro", own))).toMatchObject({ input: 1.32 });
    expect(await findPrice(named("proxy", "m", own))).toEqual(price);
  });

  test("is known of each vendor's default model, with its window and that it calls tools", async () => {
    for (const [provider, { keyEnv }] of Object.entries(vendors)) {
      if (keyEnv === undefined) continue;
      const known = await addKnownFacts(named(provider));
      const { price, contextWindow, capabilities } = known;
      expect({ provider, hasPrice: (price?.output ?? 0) > 0, window: (contextWindow ?? 0) > 32_000 }).toEqual({
        provider,
        hasPrice: true,
        window: true,
      });
      expect({ provider, tools: capabilities?.functionCalling }).toEqual({ provider, tools: true });
    }
  });

  test("of a list is never 0, but for a model whose name says that it is free, and never a part of a price", async () => {
    for (const vendor of Object.keys(vendors)) {
      for (const [model, { price, tiers = [] }] of Object.entries((await findList(vendor))?.models ?? {})) {
        for (const rates of [...(price === undefined ? [] : [price]), ...tiers.map((tier) => tier.slice(1))]) {
          const [input = null, output = null, ...caches] = rates;
          const isFree = model.endsWith(":free");
          expect({ model, input, isPrice: isFree ? input === 0 : (input ?? 0) > 0 }).toMatchObject({ isPrice: true });
          expect({ model, output: typeof output }).toEqual({ model, output: "number" });
          expect({ model, zeros: caches.filter((rate) => rate === 0).length }).toEqual({ model, zeros: 0 });
        }
      }
    }
    expect(await listKnownModels("openrouter")).not.toContainEqual(expect.stringContaining(":batch"));
  });

  test("has all tiers of a model that has several, each for the whole call", async () => {
    const { models } = (await findList("openrouter")) ?? { models: {} };
    const [model = "", { price, tiers = [] } = {}] =
      Object.entries<KnownRow>(models).find(([, row]) => row.tiers?.length === 2) ?? [];
    const [[from = 0, ...first] = [], [further = 0, ...second] = []] = tiers;
    const known = (await findPrice(named("openrouter", model))) ?? { input: 0, output: 0 };
    const cost = (inputTokens: number | null) => calculateCost(used({ inputTokens: inputTokens ?? 0 }), known);
    expect(cost(from)).toBeCloseTo(((from ?? 0) * (price?.[0] ?? 0)) / 1e6, 9);
    expect(cost((from ?? 0) + 1)).toBeCloseTo((((from ?? 0) + 1) * (first[0] ?? 0)) / 1e6, 9);
    expect(cost((further ?? 0) + 1)).toBeCloseTo((((further ?? 0) + 1) * (second[0] ?? 0)) / 1e6, 9);
  });
});

describe("what a model can do", () => {
  const capabilitiesOf = async (provider: string, model: string, own?: Record<string, boolean>) =>
    (await addKnownFacts({ ...named(provider, model), ...(own && { capabilities: own }) })).capabilities;

  test("comes from the list, then from the vendor's row, and what the user says comes first", async () => {
    expect(await capabilitiesOf("openai", "gpt-4o")).toEqual({
      functionCalling: true,
      vision: true,
      structuredOutput: true,
      reasoning: false,
    });
    expect(await capabilitiesOf("xai", "grok-4.20-multi-agent-0309")).toMatchObject({ functionCalling: false });
    // The list has the one model that both names mean.
    expect(await capabilitiesOf("deepseek", "deepseek-chat")).toMatchObject({ reasoning: false });
    expect(await capabilitiesOf("deepseek", "deepseek-reasoner")).toMatchObject({ reasoning: true });
    expect(await capabilitiesOf("openai", "gpt-4o", { vision: false })).toMatchObject({
      vision: false,
      functionCalling: true,
    });
    expect(await capabilitiesOf("ollama", "qwen3")).toEqual({});
  });

  test("is told of an opened model, and what nobody knows is tried", async () => {
    const open = async (provider: string, model: string) => createModel(await addKnownFacts(named(provider, model)));
    expect(supportsFunctionCalling(await open("openai", "gpt-4o"))).toBe(true);
    expect(supportsFunctionCalling(await open("xai", "grok-4.20-multi-agent-0309"))).toBe(false);
    expect(supportsFunctionCalling(await open("ollama", "qwen3"))).toBe(true);
    expect((await open("mistral", "mistral-large-2512")).contextWindow).toBe(262_144);
  });
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

  test("is higher for output with reasoning where the vendor says so", async () => {
    const plus = await findPrice(named("qwen", "qwen-plus"));
    if (!plus) throw new Error("qwen-plus has no price");
    const usage = used({ inputTokens: 1, outputTokens: 1_000_000 });
    expect(calculateCost(usage, plus)).toBeCloseTo(1.2, 5);
    expect(calculateCost({ ...usage, reasoningTokens: 5 }, plus)).toBeCloseTo(4, 5);
  });

  test("is not known without usage, and never negative when a vendor counts oddly", () => {
    expect(calculateCost(noUsage, price)).toBeNull();
    expect(calculateCost(used({ inputTokens: 1e6, estimated: true }), price)).toBe(
      calculateCost(used({ inputTokens: 1e6 }), price),
    );
    expect(calculateCost(used({ inputTokens: 10, cachedTokens: 50, cacheWriteTokens: 50 }), price)).toBeCloseTo(
      2e-6,
      12,
    );
  });

  test("of a model is null when nobody knows its price", async () => {
    const usage = used({ inputTokens: 1000, outputTokens: 100 });
    const findCost = async (provider: string, model: string) =>
      createModel(await addKnownFacts(named(provider, model))).cost?.(usage);
    expect(await findCost("ollama", "qwen3")).toBeNull();
    expect(await findCost("openai", "gpt-4o")).toBeCloseTo(0.0035, 12);
  });
});
