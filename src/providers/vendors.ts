import type { ModelRule, Vendor } from "./settings.ts";

/** The vendors that need no configuration but a key, in the order in which a key that is set chooses the default. */
export const vendors: Readonly<Record<string, Vendor>> = {
  deepseek: {
    wire: "openai-chat",
    baseUrl: "https://api.deepseek.com",
    keyEnv: "DEEPSEEK_API_KEY",
    baseUrlEnv: "DEEPSEEK_BASE_URL",
    defaultModel: "deepseek-chat",
    modelEnv: {
      name: "DEEPSEEK_MODEL_VARIANT",
      match: /^deepseek-(chat|reasoner|flash|v\d)[a-z0-9.-]*$/,
      allowed: "deepseek-chat, deepseek-reasoner, deepseek-flash, deepseek-v4-pro",
    },
    temperature: { below: 2 },
    // Thinking is on by default, and a tool turn without `reasoning_content` is refused in all later requests
    // (api-docs.deepseek.com, thinking mode).
    quirks: { echoReasoning: true },
    models: [
      { match: /^deepseek-/, contextWindow: 1_000_000 },
      // Both names were retired in July 2026; users still mean by them one model, without and with thinking.
      { match: /^deepseek-chat$/, servedAs: "deepseek-flash", quirks: { body: { thinking: { type: "disabled" } } } },
      { match: /^deepseek-reasoner$/, servedAs: "deepseek-flash", quirks: { body: { thinking: { type: "enabled" } } } },
    ],
  },
  openai: {
    wire: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keyEnv: "OPENAI_API_KEY",
    baseUrlEnv: "OPENAI_BASE_URL",
    defaultModel: "gpt-6.1-terra",
    temperature: { below: 2 },
    quirks: { maxTokensField: "max_completion_tokens" },
    models: [
      { match: /^gpt-4\.1/, contextWindow: 1_047_576 },
      { match: /^gpt-4o/, contextWindow: 128_000 },
      { match: /^gpt-5/, contextWindow: 400_000 },
      { match: /^gpt-(5\.[4-9]|[6-9])/, contextWindow: 272_000 },
      { match: /^(o\d|gpt-5(-|$))/, quirks: { noSampling: "always" } },
      { match: /^gpt-5\.[1-9]/, quirks: { noSampling: "while-reasoning" } },
      // "Function tools with reasoning_effort are not supported ... set reasoning_effort to 'none'" (chat completions).
      { match: /^gpt-5\.4/, quirks: { effortWithTools: "none" } },
      {
        match: /^gpt-(5\.[5-9]|[6-9])/,
        quirks: { noSampling: "while-reasoning", defaultEffort: "none", effortWithTools: "none" },
      },
      { match: /^gpt-5.*-(pro|chat|codex)/, quirks: { noSampling: "always", defaultEffort: undefined } },
    ],
  },
  anthropic: {
    wire: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyEnv: "ANTHROPIC_API_KEY",
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-5-5",
    temperature: { atMost: 1 },
    quirks: {},
    models: [
      { match: /^claude-(opus-(4-[6-9]|[5-9])|(sonnet|haiku)-[5-9]|fable)/, contextWindow: 1_000_000 },
      { match: /^claude-(3|(sonnet|haiku)-4|opus-4-[0-5])/, contextWindow: 200_000 },
      {
        match: /^claude-(opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9]|fable)/,
        quirks: { noSampling: "always", adaptiveThinking: true },
      },
    ],
  },
  qwen: {
    wire: "openai-chat",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keyEnv: "DASHSCOPE_API_KEY",
    baseUrlEnv: "DASHSCOPE_BASE_URL",
    defaultModel: "qwen3.7-plus",
    temperature: { below: 2 },
    quirks: {},
    models: [
      { match: /^qwen(3\.[5-9]-|-(plus|flash)$)/, contextWindow: 1_000_000 },
      { match: /^qwen3-max/, contextWindow: 262_144 },
    ],
  },
  gemini: {
    wire: "openai-chat",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyEnv: "GEMINI_API_KEY",
    baseUrlEnv: "GEMINI_BASE_URL",
    defaultModel: "gemini-3.8-flash",
    temperature: { below: 2 },
    // Gemini refuses a call without a signature, and takes this word for a call that it did not make
    // (ai.google.dev/gemini-api/docs/thought-signatures).
    quirks: { foreignCallExtra: { google: { thought_signature: "skip_thought_signature_validator" } } },
    models: [{ match: /^gemini-/, contextWindow: 1_048_576 }],
  },
  ollama: {
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    baseUrlEnv: "OLLAMA_BASE_URL",
    temperature: { below: 2 },
    quirks: {},
  },
};

/** Other names under which a vendor is known. */
export const vendorAliases: Readonly<Record<string, string>> = { dashscope: "qwen" };

/** What is known of models that are served by many: for vendors that the user added. */
export const sharedModelRules: ModelRule[] = [
  { match: /(^|\/)(kimi-k[23]|deepseek-(v[4-9]|flash|reasoner))/i, quirks: { echoReasoning: true } },
  { match: /(^|\/)kimi-k[23]/i, quirks: { noSampling: "always" } },
];
