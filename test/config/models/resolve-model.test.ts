import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { resolveModel } from "../../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../../src/config/models/vendor-table.ts";
import { listSecrets } from "../../../src/config/secrets/secrets.ts";

const resolve = (spec: Parameters<typeof resolveModel>[0], environment = {}, own = {}) =>
  resolveModel(spec, createVendorTable(own), environment, "models.answer");

describe("a model's settings", () => {
  test("are the vendor's row, the environment and the defaults together", () => {
    expect(
      resolve(
        { provider: "openai", model: "gpt-4o" },
        { OPENAI_API_KEY: " key ", OPENAI_BASE_URL: "http://localhost:1/v1/" },
      ),
    ).toMatchObject({
      provider: "openai",
      model: "gpt-4o",
      wire: "openai-chat",
      baseUrl: "http://localhost:1/v1",
      apiKey: "key",
      apiKeyEnv: "OPENAI_API_KEY",
      temperature: 0.7,
      maxTokens: 2000,
      timeoutMs: 30_000,
      contextWindow: 128_000,
    });
  });

  test("follow what the user wrote", () => {
    const spec = {
      provider: "dashscope",
      model: "q",
      temperature: 0,
      maxTokens: 5,
      topP: 1,
      baseUrl: "https://x.example/v1",
      apiKeyEnv: "MINE",
      timeout: 1.5,
      contextWindow: 9,
      reasoningEffort: "low",
    };
    expect(resolve(spec, { MINE: "k", DASHSCOPE_API_KEY: "other" })).toMatchObject({
      provider: "qwen",
      temperature: 0,
      maxTokens: 5,
      topP: 1,
      baseUrl: "https://x.example/v1",
      apiKey: "k",
      apiKeyEnv: "MINE",
      timeoutMs: 1500,
      contextWindow: 9,
      reasoningEffort: "low",
    });
  });

  test("a name means another of the vendor's models where the user says so, its way of thinking kept", () => {
    const own = { deepseek: { aliases: { "deepseek-reasoner": "deepseek-v4-pro" } } };
    expect(resolve({ provider: "deepseek", model: "deepseek-reasoner" }, {}, own)).toMatchObject({
      model: "deepseek-reasoner",
      servedAs: "deepseek-v4-pro",
      quirks: { alwaysReasons: true },
    });
    expect(resolve({ provider: "deepseek", model: "deepseek-chat" }, {}, own).servedAs).toBe("deepseek-flash");
  });

  test("Anthropic's wire takes no temperature above 1, whoever speaks it", () => {
    const spec = { provider: "openai", wire: "anthropic-messages", temperature: 1.2 };
    expect(() => resolve(spec)).toThrow("temperature <= 1");
  });

  const other = { other: { baseUrl: "https://x.example/v1" } };
  test.each([
    ["deepseek", { model: "deepseek-reasoner" }, 30],
    ["qwen", {}, 30],
    ["anthropic", { reasoningEffort: "high" }, 30],
    ["openai", { model: "gpt-4o" }, 30],
    ["openai", { model: "o3" }, 300],
    ["openai", { model: "gpt-5" }, 300],
    ["openai", { model: "gpt-5-chat-latest" }, 30],
    ["openai", { model: "gpt-5-pro" }, 900],
    ["openai", { model: "o3-pro" }, 900],
    ["openai", { model: "gpt-5-codex" }, 300],
    ["openai", { model: "gpt-5.1-chat-latest" }, 30],
    ["openai", { model: "gpt-5.1-chat-latest", reasoningEffort: "medium" }, 30],
    ["openai", { model: "gpt-5.2" }, 30],
    ["openai", { model: "gpt-5.2", reasoningEffort: "medium" }, 300],
    ["openai", {}, 30],
    ["openai", { reasoningEffort: "none" }, 30],
    ["openai", { reasoningEffort: "high" }, 300],
    ["openai", { reasoningEffort: "high", wire: "openai-chat" }, 300],
    ["openai", { model: "o3", wire: "anthropic-messages" }, 30],
    ["openai", { model: "o3", timeout: 45 }, 45],
    ["gemini", {}, 300],
    ["gemini", { model: "gemini-2.0-flash" }, 30],
    ["gemini", { model: "gemini-2.5-flash" }, 300],
    ["gemini", { model: "gemini-2.5-flash", reasoningEffort: "none" }, 30],
    ["other", { model: "o3" }, 300],
    ["other", { model: "openai/o3" }, 300],
    ["other", { model: "openai/o3-pro" }, 900],
    ["other", { model: "openai/gpt-5-pro" }, 900],
    ["other", { model: "openai/gpt-5.1-codex" }, 300],
    ["other", { model: "openai/gpt-5.2" }, 300],
    ["other", { model: "openai/gpt-5.2", reasoningEffort: "none" }, 30],
    ["other", { model: "openai/gpt-5.2-pro" }, 900],
    ["other", { model: "openai/gpt-5-chat" }, 30],
    ["other", { model: "openai/gpt-5.1-chat" }, 30],
    ["other", { model: "gpt-5.1-chat-latest" }, 30],
    ["other", { model: "google/gemini-3-pro" }, 300],
    ["other", { model: "x-ai/grok-4.1" }, 300],
    ["other", { model: "x-ai/grok-4-fast-non-reasoning" }, 30],
    ["other", { model: "llama3" }, 30],
  ])("of %s, a model %o has %i seconds until its first content", (provider, spec, seconds) => {
    expect(resolve({ provider, ...spec }, {}, other).timeoutMs).toBe(seconds * 1000);
  });

  test("are made without a key, for the call to tell", () => {
    expect(resolve({ provider: "anthropic" }, { ANTHROPIC_API_KEY: "" })).toMatchObject({
      apiKey: undefined,
      apiKeyEnv: "ANTHROPIC_API_KEY",
    });
  });

  test("take DeepSeek's model from the environment, unless the user names one", () => {
    const environment = { DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" };
    expect(resolve({ provider: "deepseek" }).model).toBe("deepseek-chat");
    expect(resolve({ provider: "deepseek" }, environment)).toMatchObject({
      model: "deepseek-reasoner",
      servedAs: "deepseek-flash",
    });
    expect(resolve({ provider: "deepseek", model: "deepseek-v4-pro" }, environment).model).toBe("deepseek-v4-pro");
  });

  test("exist for vendors of the user's own, and for known ones that were changed", () => {
    const own = {
      local: { baseUrl: "http://127.0.0.1:8000/v1", apiKeyEnv: "LOCAL_KEY" },
      deepseek: { baseUrl: "https://proxy.example" },
    };
    expect(resolve({ provider: "local", model: "moonshotai/kimi-k3" }, { LOCAL_KEY: "k" }, own)).toMatchObject({
      wire: "openai-chat",
      apiKey: "k",
      quirks: { echoReasoning: true },
    });
    expect(resolve({ provider: "deepseek" }, {}, own)).toMatchObject({
      baseUrl: "https://proxy.example",
      apiKeyEnv: "DEEPSEEK_API_KEY",
    });
  });
});

describe("the wire", () => {
  test.each([
    ["gpt-5.4", "openai-responses"],
    ["gpt-5.5", "openai-responses"],
    ["gpt-5.6-terra", "openai-responses"],
    ["gpt-6-luna", "openai-responses"],
    ["gpt-6.1-sol", "openai-responses"],
    ["gpt-5.2-pro", "openai-responses"],
    ["gpt-5.2", "openai-chat"],
    ["gpt-5-mini", "openai-chat"],
    ["gpt-4o", "openai-chat"],
    ["gpt-4.1-mini", "openai-chat"],
    ["o4-mini", "openai-chat"],
  ])("of OpenAI's %s is %s, for newer models take no tools on chat completions", (model, wire) => {
    expect(resolve({ provider: "openai", model }).wire).toBe(wire);
  });

  test("that a user names wins, for one model and for a whole vendor", () => {
    expect(resolve({ provider: "openai", model: "gpt-6-luna", wire: "openai-chat" }).wire).toBe("openai-chat");
    expect(resolve({ provider: "openai", model: "gpt-4o", wire: "openai-responses" }).wire).toBe("openai-responses");
    const own = { openai: { wire: "openai-chat" }, mine: { wire: "openai-responses", baseUrl: "http://localhost:1" } };
    expect(resolve({ provider: "openai", model: "gpt-6-luna" }, {}, own)).toMatchObject({
      wire: "openai-chat",
      contextWindow: 272_000,
    });
    expect(resolve({ provider: "mine", model: "m" }, {}, own).wire).toBe("openai-responses");
  });
});

describe("Qwen's regions", () => {
  test("share the key and its variable, each at its own address, and are only used by name", () => {
    const environment = { DASHSCOPE_API_KEY: "k" };
    const address = (provider: string) => resolve({ provider }, environment).baseUrl;
    expect(address("qwen")).toBe("https://dashscope.aliyuncs.com/compatible-mode/v1");
    expect(address("qwen-intl")).toBe("https://dashscope-intl.aliyuncs.com/compatible-mode/v1");
    expect(address("qwen-us")).toBe("https://dashscope-us.aliyuncs.com/compatible-mode/v1");
    expect(resolve({ provider: "qwen-us" }, environment)).toMatchObject({ apiKey: "k", model: "qwen3.7-plus" });
    expect(createVendorTable({})["qwen-us"]?.regionOf).toBe("qwen");
  });

  test("all give way to DASHSCOPE_BASE_URL", () => {
    const environment = { DASHSCOPE_BASE_URL: "https://proxy.example/v1" };
    for (const provider of ["qwen", "qwen-intl", "qwen-us"]) {
      expect(resolve({ provider }, environment).baseUrl).toBe("https://proxy.example/v1");
    }
  });
});

describe("what a model takes and gives", () => {
  test.each([
    ["openai", "gpt-6.1-terra", 272_000, 128_000],
    ["openai", "gpt-5.4-mini", 400_000, 128_000],
    ["openai", "gpt-5.5-pro", 1_050_000, 128_000],
    ["openai", "gpt-4.1", 1_047_576, 32_768],
    ["openai", "gpt-4", 8_192, 8_192],
    ["openai", "o3-mini", 200_000, 100_000],
    ["anthropic", "claude-sonnet-5-5", 1_000_000, 128_000],
    ["anthropic", "claude-haiku-4-5-20251001", 200_000, 64_000],
    ["anthropic", "claude-opus-4-6", 1_000_000, 128_000],
    ["anthropic", "claude-fable-5-2", 1_000_000, 128_000],
    ["deepseek", "deepseek-chat", 1_000_000, 384_000],
    ["qwen-intl", "qwen3.7-max", 1_000_000, 65_536],
    ["qwen", "qwen3-max", 262_144, 65_536],
    ["gemini", "gemini-3.8-flash", 1_048_576, 65_536],
    ["gemini", "gemini-4-argon", 1_048_576, 32_768],
    ["openai", "gpt-of-tomorrow", undefined, undefined],
  ])("is known of %s/%s", (provider, model, contextWindow, maxOutput) => {
    expect(resolve({ provider, model })).toMatchObject({ contextWindow, maxOutput });
  });
});

describe("a wrong value is a config error that names the key, the value and what is allowed", () => {
  test.each([
    [{ provider: "opnai" }, "models.answer.provider", '"opnai"', "deepseek, openai"],
    [{ provider: "toString" }, "models.answer.provider", '"toString"', "deepseek"],
    [{ provider: "openai", temperature: 2 }, "models.answer.temperature", "2", "< 2"],
    [{ provider: "openai", temperature: -0.1 }, "models.answer.temperature", "-0.1", "0 <="],
    [{ provider: "openai", temperature: Number.NaN }, "models.answer.temperature", "null", "0 <="],
    [{ provider: "anthropic", temperature: 1.1 }, "models.answer.temperature", "1.1", "<= 1"],
    [{ provider: "openai", topP: 0 }, "models.answer.topP", "0", "0 < topP <= 1"],
    [{ provider: "openai", maxTokens: 0 }, "models.answer.maxTokens", "0", "an integer of at least 1"],
    [{ provider: "openai", maxTokens: 1.5 }, "models.answer.maxTokens", "1.5", "an integer of at least 1"],
    [{ provider: "openai", timeout: 0 }, "models.answer.timeout", "0", "0 < timeout"],
    [{ provider: "openai", wire: "soap" }, "models.answer.wire", '"soap"', "anthropic-messages"],
    [{ provider: "openai", baseUrl: "ftp://x" }, "models.answer.baseUrl", '"ftp://x"', "http"],
    [{ provider: "ollama" }, "models.answer.model", "is missing", "name of a model"],
  ])("%j", (spec, path, value, allowed) => {
    const wrong = expect.objectContaining({ code: "config", message: expect.stringContaining(path) });
    expect(() => resolve(spec)).toThrow(wrong);
    expect(() => resolve(spec)).toThrow(value);
    expect(() => resolve(spec)).toThrow(allowed);
  });

  test("also in the environment and in the user's vendors", () => {
    expect(() => resolve({ provider: "deepseek" }, { DEEPSEEK_MODEL_VARIANT: "gpt-4" })).toThrow(
      /DEEPSEEK_MODEL_VARIANT.*gpt-4.*deepseek-reasoner/,
    );
    expect(() => createVendorTable({ mine: {} })).toThrow(/providers.mine.baseUrl/);
    expect(() => createVendorTable({ mine: { baseUrl: "http://x", wire: "soap" } })).toThrow(
      /providers.mine.wire.*soap/,
    );
  });

  test("a boundary is allowed where it is inclusive", () => {
    expect(resolve({ provider: "anthropic", temperature: 1 }).temperature).toBe(1);
    expect(resolve({ provider: "openai", temperature: 1.99 }).temperature).toBe(1.99);
  });
});

describe("fallback models", () => {
  test("are written as names or as models, and have the output limit of the model where they set none", () => {
    const { fallbacks } = resolve(
      {
        provider: "deepseek",
        maxTokens: 500,
        fallbacks: [
          "openrouter/openai/gpt-6.1-terra",
          "mistral",
          { provider: "xai", maxTokens: 7, apiKeyEnv: "SPARE" },
        ],
      },
      { SPARE: "k" },
    );
    expect(fallbacks).toMatchObject([
      { provider: "openrouter", model: "openai/gpt-6.1-terra", maxTokens: 500 },
      { provider: "mistral", model: "mistral-large-latest", quirks: { nineLetterIds: true } },
      { provider: "xai", model: "grok-4.7", maxTokens: 7, apiKey: "k" },
    ]);
  });

  const own = { provider: "deepseek", model: "deepseek-chat" };
  test.each([
    ["nobody/x", /^models\.answer\.fallbacks\[0\]\.provider: "nobody" is not allowed \(allowed: deepseek,/],
    ["ollama", /^models\.answer\.fallbacks\[0\]\.model: /],
    [
      "offline",
      /^models\.answer\.fallbacks\[0\]: "offline" is not allowed \(allowed: provider, provider\/model, or an object/,
    ],
    ["/x", /^models\.answer\.fallbacks\[0\]: "\/x" is not allowed/],
    [
      "deepseek/deepseek-chat",
      /^models\.answer\.fallbacks\[0\]: "deepseek\/deepseek-chat" is the model itself; allowed: other/,
    ],
    ["deepseek", /^models\.answer\.fallbacks\[0\]: "deepseek" is the model itself/],
  ])("refuse %s in one line", (name, line) => {
    expect(() => resolve({ ...own, fallbacks: [name] })).toThrow(line);
  });

  test("are named once, and what takes over has none of its own", async () => {
    const line =
      /^models\.answer\.fallbacks\[1\]: "openai\/gpt-4o" is already fallback 1; allowed: other models, each once$/;
    const twice = ["openai/gpt-4o", { provider: "openai", model: "gpt-4o" }];
    expect(() => resolve({ ...own, fallbacks: twice })).toThrow(line);
    const load = (fallbacks: unknown) =>
      loadConfig(
        {},
        { HOME: "/nowhere", AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ ...own, fallbacks }) },
        "/nowhere",
      );
    await expect(load([{ provider: "openai", fallbacks: ["deepseek"] }])).rejects.toThrow(
      "AGENT_FUNCTION_CALL_MODEL: fallbacks[0]: fallbacks: unknown key (allowed: provider, model, temperature,",
    );
    await expect(load(["openai", 7])).rejects.toThrow(/^AGENT_FUNCTION_CALL_MODEL: fallbacks\[1\]: 7 is not allowed/);
    await expect(load("openai")).rejects.toThrow(/^AGENT_FUNCTION_CALL_MODEL: fallbacks: .*openai/);
    const { models } = await load([{ provider: "openai", max_tokens: 9, capabilities: { function_calling: false } }]);
    expect(models.functionCall).toMatchObject({
      fallbacks: [{ provider: "openai", maxTokens: 9, capabilities: { functionCalling: false } }],
    });
  });

  test("have keys that are masked like all others", async () => {
    const model = { ...own, fallbacks: [{ provider: "openai", api_key_env: "SPARE" }] };
    const environment = {
      HOME: "/nowhere",
      SPARE: "sp-0123456789abcdef",
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify(model),
    };
    expect(listSecrets(await loadConfig({}, environment, "/nowhere"))).toContain("sp-0123456789abcdef");
  });
});
