// Holds the vendors that have several regions: each region is a row of the table of vendors, with an address of its own.
import type { Vendor } from "../core/model/model-settings.ts";
import { qwenImages } from "./image-rules.ts";
import { sharedModelRules } from "./shared-model-rules.ts";

export const qwen: Vendor = {
  wire: "openai-chat",
  baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
  keyEnv: "DASHSCOPE_API_KEY",
  baseUrlEnv: "DASHSCOPE_BASE_URL",
  defaultModel: "qwen3.7-plus",
  temperature: { below: 2 },
  // "tool_choice" may not force a call in thinking mode, and "Json mode response is not supported when enable_thinking is true". The
  // length of the reasoning has a limit of its own there (thinking_budget), so `max_tokens` needs no allowance.
  quirks: {
    toolDialect: "inlined",
    thinkingSwitch: "enable_thinking",
    noForcedCalls: "while-reasoning",
    answerFormat: "json_object",
    noFormatWhileReasoning: true,
    images: qwenImages,
  },
  models: [
    { match: /^qwen([12]|-max)|coder|instruct/, quirks: { noReasoning: true } },
    { match: /^qwq|thinking/, quirks: { alwaysReasons: true } },
    { match: /^qwen3\.[89]-/, quirks: { thinkingSwitch: "enable_thinking+reasoning_effort" } },
    { match: /^qwen3\.[7-9]-/, quirks: { answerFormat: "json_schema" } },
    { match: /^qwen-(plus|flash)$/, contextWindow: 1_000_000, maxOutput: 32_768 },
    { match: /^qwen3\.[5-7]-/, contextWindow: 1_000_000, maxOutput: 65_536 },
    { match: /^qwen3\.[89]-/, contextWindow: 1_000_000, maxOutput: 131_072 },
    { match: /^qwen3-max/, contextWindow: 262_144, maxOutput: 65_536 },
  ],
};

export const moonshot: Vendor = {
  wire: "openai-chat",
  baseUrl: "https://api.moonshot.ai/v1",
  keyEnv: "MOONSHOT_API_KEY",
  baseUrlEnv: "MOONSHOT_BASE_URL",
  defaultModel: "kimi-k3",
  telemetryName: "moonshot_ai",
  temperature: { atMost: 1 },
  quirks: {},
  models: [
    ...sharedModelRules,
    // platform.kimi.ai/docs/api/chat: these are switched by `thinking`, and later ones take an effort.
    { match: /^kimi-k2/, quirks: { thinkingSwitch: "thinking" } },
    { match: /^moonshot-v1/, quirks: { noReasoning: true } },
  ],
};

export const zai: Vendor = {
  wire: "openai-chat",
  baseUrl: "https://api.z.ai/api/paas/v4",
  keyEnv: "ZAI_API_KEY",
  baseUrlEnv: "ZAI_BASE_URL",
  defaultModel: "glm-5.3",
  temperature: { atMost: 1 },
  // docs.z.ai/guides/capabilities/thinking: thinking is on by default.
  quirks: { thinkingSwitch: "thinking" },
  models: [
    ...sharedModelRules,
    { match: /^glm-(4(-|$)|4\.[0-4])/, quirks: { noReasoning: true } },
    { match: /^glm-5\.3/, quirks: { alwaysReasons: true } },
  ],
};
