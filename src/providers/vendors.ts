import type { ModelRule, Vendor, WireName } from "../core/model/model-settings.ts";
import { createAzure, createBedrock, createVertex } from "./cloud-vendors.ts";
import {
  claudeImages,
  geminiImages,
  laterOpenaiImages,
  openaiImages,
  readDocuments,
  sharpClaudeImages,
} from "./image-rules.ts";
import { allowBudget, allowHigh, allowMedium, allowNone } from "./reasoning-allowances.ts";
import { moonshot, qwen, zai } from "./regional-vendors.ts";
import { longSilentMs, longSilentOpenai, sharedModelRules, silentMs, silentOpenai } from "./shared-model-rules.ts";

/** Lists the vendors that need no configuration except a key. */
const keyedVendors = {
  deepseek: {
    wire: "openai-chat",
    baseUrl: "https://api.deepseek.com",
    keyEnv: "DEEPSEEK_API_KEY",
    baseUrlEnv: "DEEPSEEK_BASE_URL",
    defaultModel: "deepseek-chat",
    // They are one model, without and with thinking.
    knownAs: ["deepseek-chat", "deepseek-reasoner"],
    modelEnv: {
      name: "DEEPSEEK_MODEL_VARIANT",
      match: /^deepseek-(chat|reasoner|flash|v\d)[a-z0-9.-]*$/,
      allowed: "deepseek-chat, deepseek-reasoner, deepseek-flash, deepseek-v4-pro",
    },
    temperature: { below: 2 },
    // Thinking is on by default, and a tool turn without `reasoning_content` is refused in all later requests
    // (api-docs.deepseek.com, thinking mode).
    quirks: {
      echoReasoning: true,
      thinkingSwitch: "thinking",
      samplingWithoutEffect: true,
      mostStops: 16,
      noForcedCalls: "while-reasoning",
      answerFormat: "json_object",
      reasoningAllowance: allowHigh,
    },
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"],
    models: [
      { match: /^deepseek-/, contextWindow: 1_000_000, maxOutput: 384_000 },
      // Both names were retired in July 2026; users still mean by them one model, without and with thinking.
      {
        match: /^deepseek-chat$/,
        servedAs: "deepseek-flash",
        quirks: { noReasoning: true, samplingWithoutEffect: false, body: { thinking: { type: "disabled" } } },
      },
      {
        match: /^deepseek-reasoner$/,
        servedAs: "deepseek-flash",
        quirks: { alwaysReasons: true, body: { thinking: { type: "enabled" } } },
      },
    ],
  },
  openai: {
    wire: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keyEnv: "OPENAI_API_KEY",
    baseUrlEnv: "OPENAI_BASE_URL",
    defaultModel: "gpt-6.1-terra",
    temperature: { below: 2 },
    quirks: {
      maxTokensField: "max_completion_tokens",
      answerFormat: "json_schema",
      reasoningAllowance: allowNone,
      images: openaiImages,
      documents: readDocuments,
    },
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    models: [
      { match: /^gpt-4$/, contextWindow: 8_192, maxOutput: 8_192 },
      { match: /^gpt-4-turbo/, contextWindow: 128_000, maxOutput: 4_096 },
      { match: /^gpt-4o/, contextWindow: 128_000, maxOutput: 16_384 },
      { match: /^gpt-4\.1/, contextWindow: 1_047_576, maxOutput: 32_768 },
      { match: /^o[134](-|$)/, contextWindow: 200_000, maxOutput: 100_000 },
      { match: /^(gpt-5|chat-latest$)/, contextWindow: 400_000, maxOutput: 128_000 },
      { match: /^gpt-5-chat/, contextWindow: 128_000, maxOutput: 16_384 },
      { match: /^gpt-(5\.[4-9]|[6-9])/, contextWindow: 272_000, maxOutput: 128_000 },
      { match: /^gpt-5\.[4-9]-(mini|nano|cyber)/, contextWindow: 400_000 },
      { match: /^gpt-5\.[4-9]-pro/, contextWindow: 1_050_000 },
      // "Function tools with reasoning_effort are not supported ... in /v1/chat/completions. To use function tools, use
      // /v1/responses or set reasoning_effort to 'none'"; the second half of these has no chat completions at all.
      { match: /^gpt-(5\.[4-9]|[6-9])|^(o\d|gpt-5).*-(pro|codex)/, wire: "openai-responses" },
      { match: /^gpt-5\.4/, quirks: { effortWithTools: "none", images: laterOpenaiImages } },
      { match: /^(gpt-[34]|gpt-5-chat|chatgpt-)/, quirks: { noReasoning: true } },
      { match: /^gpt-(3\.5|4-turbo)/, quirks: { answerFormat: "json_object" } },
      { match: /^gpt-4(-\d{4}|-32k.*)?$/, quirks: { answerFormat: "none" } },
      // "Unsupported parameter: 'stop' is not supported with this model."
      { match: /^(o\d|gpt-[5-9](?!-chat))/, quirks: { mostStops: 0 } },
      {
        match: /^(o\d|gpt-5(-(?!chat)|$))/,
        quirks: { noSampling: "always", alwaysReasons: true, reasoningAllowance: allowMedium },
      },
      { match: /^gpt-5\.[1-9]/, quirks: { noSampling: "while-reasoning" } },
      {
        match: /^gpt-(5\.[5-9]|[6-9])/,
        quirks: {
          noSampling: "while-reasoning",
          defaultEffort: "none",
          effortWithTools: "none",
          images: laterOpenaiImages,
        },
      },
      // Chat completions never show their reasoning. Responses show that there is some, and may then be silent for as long.
      { match: silentOpenai, silentThinkingMs: { "openai-chat": silentMs, "openai-responses": silentMs } },
      {
        match: longSilentOpenai,
        silentThinkingMs: { "openai-chat": longSilentMs, "openai-responses": longSilentMs },
      },
      {
        match: /^gpt-5.*-(pro|codex)|^gpt-5\.\d-chat/,
        quirks: {
          noSampling: "always",
          alwaysReasons: true,
          reasoningAllowance: allowMedium,
          defaultEffort: undefined,
          effortWithTools: undefined,
        },
      },
    ],
  },
  anthropic: {
    wire: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyEnv: "ANTHROPIC_API_KEY",
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-5-5",
    temperature: { atMost: 1 },
    // "Thinking may not be enabled when tool_choice forces tool use." The number of stop texts has no documented limit.
    quirks: {
      cacheMarks: true,
      mostStops: 8191,
      noForcedCalls: "while-reasoning",
      answerFormat: "json_schema",
      images: claudeImages,
      documents: readDocuments,
    },
    efforts: ["none", "low", "medium", "high", "xhigh", "max"],
    models: [
      { match: /^claude-3/, contextWindow: 200_000 },
      // Structured answers began with the models 4.5.
      { match: /^claude-(3|(sonnet|haiku|opus)-4(-[01](-|$)|-\d{8}|$))/, quirks: { answerFormat: "none" } },
      {
        match: /^claude-(3-7|(sonnet|haiku|opus)-4)/,
        quirks: { noSampling: "while-reasoning", budgetThinking: true, reasoningAllowance: allowBudget },
      },
      { match: /^claude-(sonnet|haiku|opus)-4/, contextWindow: 200_000, maxOutput: 64_000 },
      { match: /^claude-opus-4-[01](-|$)/, maxOutput: 32_000 },
      {
        match: /^claude-((opus-4-[6-9]|sonnet-4-6)|(opus|sonnet|haiku)-[5-9]|fable)/,
        contextWindow: 1_000_000,
        maxOutput: 128_000,
      },
      {
        match: /^claude-(opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9]|fable)/,
        quirks: {
          noSampling: "always",
          adaptiveThinking: true,
          budgetThinking: false,
          reasoningAllowance: allowNone,
          images: sharpClaudeImages,
        },
      },
    ],
  },
  qwen,
  gemini: {
    wire: "openai-chat",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyEnv: "GEMINI_API_KEY",
    baseUrlEnv: "GEMINI_BASE_URL",
    defaultModel: "gemini-3.8-flash",
    telemetryName: "gcp.gemini",
    temperature: { below: 2 },
    // Gemini refuses a call without a signature, and takes this word for a call that it did not make
    // (ai.google.dev/gemini-api/docs/thought-signatures).
    quirks: {
      foreignCallExtra: { google: { thought_signature: "skip_thought_signature_validator" } },
      toolDialect: "openapi",
      mostStops: 5,
      answerFormat: "json_schema",
      reasoningAllowance: allowMedium,
      images: geminiImages,
    },
    efforts: ["none", "minimal", "low", "medium", "high"],
    models: [
      { match: /^gemini-(?!2)/, quirks: { alwaysReasons: true } },
      // Thoughts come on this wire only where they are asked for.
      { match: /^gemini-(2\.5|[3-9])/, silentThinkingMs: { "openai-chat": silentMs } },
      { match: /^gemini-/, contextWindow: 1_048_576, maxOutput: 65_536 },
      { match: /^gemini-4-/, maxOutput: 32_768 },
    ],
  },
  openrouter: {
    wire: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyEnv: "OPENROUTER_API_KEY",
    baseUrlEnv: "OPENROUTER_BASE_URL",
    defaultModel: "openai/gpt-6.1-terra",
    temperature: { below: 2 },
    // Parameters that a model does not take are left out by the gateway (openrouter.ai/docs/api/reference/parameters).
    quirks: {},
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    models: [
      ...sharedModelRules,
      { match: silentOpenai, silentThinkingMs: { "openai-chat": silentMs } },
      { match: longSilentOpenai, silentThinkingMs: { "openai-chat": longSilentMs } },
    ],
  },
  mistral: {
    wire: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keyEnv: "MISTRAL_API_KEY",
    baseUrlEnv: "MISTRAL_BASE_URL",
    defaultModel: "mistral-large-latest",
    telemetryName: "mistral_ai",
    temperature: { atMost: 1.5 },
    // The API requires it of every id, whichever model it serves.
    quirks: { nineLetterIds: true, assistantAfterTools: true },
    models: sharedModelRules,
  },
  xai: {
    wire: "openai-chat",
    baseUrl: "https://api.x.ai/v1",
    keyEnv: "XAI_API_KEY",
    baseUrlEnv: "XAI_BASE_URL",
    defaultModel: "grok-4.7",
    telemetryName: "x_ai",
    temperature: { below: 2 },
    quirks: {},
    models: [
      ...sharedModelRules,
      { match: /^grok-(2|3(?!-mini))|non-reasoning/, quirks: { noReasoning: true } },
      { match: /^grok-4\.[5-9]/, quirks: { alwaysReasons: true } },
    ],
  },
  moonshot,
  zai,
  zhipu: {
    ...zai,
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keyEnv: "ZHIPUAI_API_KEY",
    baseUrlEnv: "ZHIPUAI_BASE_URL",
  },
  groq: {
    wire: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keyEnv: "GROQ_API_KEY",
    baseUrlEnv: "GROQ_BASE_URL",
    defaultModel: "openai/gpt-oss-120b",
    temperature: { below: 2 },
    quirks: { maxTokensField: "max_completion_tokens" },
    models: [
      ...sharedModelRules,
      { match: /^(llama|meta-llama)/, quirks: { noReasoning: true } },
      { match: /^openai\/gpt-oss/, quirks: { alwaysReasons: true } },
      // Its reasoning comes between tags in the text otherwise (console.groq.com/docs/reasoning).
      { match: /^qwen\//, quirks: { body: { reasoning_format: "parsed" } } },
    ],
  },
  ollama: {
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    baseUrlEnv: "OLLAMA_BASE_URL",
    temperature: { below: 2 },
    // It reads `tool_choice` and does nothing about it.
    quirks: { noForcedCalls: "always", answerFormat: "json_schema" },
  },
} satisfies Record<string, Vendor>;

/** Lists the known vendors. The first one whose key is set becomes the default. */
export const vendors: Readonly<Record<string, Vendor>> = {
  ...keyedVendors,
  azure: createAzure(keyedVendors.openai),
  bedrock: createBedrock(keyedVendors.anthropic),
  vertex: createVertex(keyedVendors.anthropic),
  // A key works in its own region alone; the variable of the address moves any of them.
  "qwen-intl": { ...qwen, regionOf: "qwen", baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" },
  "qwen-us": { ...qwen, regionOf: "qwen", baseUrl: "https://dashscope-us.aliyuncs.com/compatible-mode/v1" },
  "moonshot-cn": { ...moonshot, regionOf: "moonshot", baseUrl: "https://api.moonshot.cn/v1" },
};

/** Is the wire of a vendor that the user added without naming one. */
export const defaultWire: WireName = "openai-chat";

/** Limits the temperature on a wire, whichever vendor provides it: Anthropic's API accepts none above 1. */
export const wireTemperatures: Partial<Record<WireName, Vendor["temperature"]>> = {
  "anthropic-messages": { atMost: 1 },
};

export const defaultTemperature: Vendor["temperature"] = { below: 2 };

/** Maps other names of a vendor to its id. */
export const vendorAliases: Readonly<Record<string, string>> = { dashscope: "qwen" };

/**
 * These rules apply to models of a vendor that the user added, which is often a proxy for the well-known vendors. The user
 * chooses its wire, so the wires of the rules are ignored.
 */
export const modelRulesOfOthers: ModelRule[] = [
  ...[vendors.openai, vendors.anthropic].flatMap((vendor) => vendor?.models ?? []).map(({ wire: _, ...rule }) => rule),
  { match: /^(o[134](-|$)|gpt-([5-9])|chat-latest$)/, quirks: { maxTokensField: "max_completion_tokens" } },
  ...sharedModelRules,
];
