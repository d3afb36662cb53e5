import type { ModelRule } from "../core/model/model-settings.ts";
import { claudeImages, geminiImages } from "./image-rules.ts";
import { allowHigh, allowMedium } from "./reasoning-allowances.ts";

/** Some models reason for minutes without sending anything. The second limit is for those that reason the longest. */
export const silentMs = 300_000;
export const longSilentMs = 900_000;

/**
 * Matches OpenAI's models that do so, and the longest of them, also by the names that gateways give them (`openai/o3`); chat
 * variants answer soon.
 */
export const silentOpenai = /(^|\/)(o\d|gpt-[5-9](?!.*-chat))/i;
export const longSilentOpenai = /(^|\/)(o\d|gpt-[5-9]).*-pro(?![a-z])/i;

/** These rules apply to models that many vendors serve. */
export const sharedModelRules: ModelRule[] = [
  { match: /(^|\/)kimi-k2\.[67]/i, contextWindow: 262_144, maxOutput: 262_144 },
  { match: /(^|\/)kimi-k3/i, contextWindow: 1_048_576, maxOutput: 1_048_576 },
  { match: /(^|\/)glm-4\.7/i, contextWindow: 204_800, maxOutput: 131_072 },
  { match: /(^|\/)glm-5\.[23]/i, contextWindow: 1_000_000, maxOutput: 131_072 },
  { match: /(^|\/)(kimi-k[23]|deepseek-(v[4-9]|flash|reasoner))/i, quirks: { echoReasoning: true } },
  {
    match: /(^|\/)kimi-k[23]/i,
    quirks: {
      noSampling: "always",
      toolDialect: "inlined",
      mostStops: 5,
      noForcedCalls: "always",
      reasoningAllowance: allowMedium,
    },
  },
  // "tool_choice: only auto is supported"; of the formats there is only json_object, and one stop text.
  {
    match: /(^|\/)glm-[4-9]/i,
    quirks: { mostStops: 1, noForcedCalls: "always", answerFormat: "json_object", reasoningAllowance: allowMedium },
  },
  {
    match: /(^|\/)deepseek-(v[4-9]|flash|reasoner)/i,
    quirks: { answerFormat: "json_object", noForcedCalls: "while-reasoning", reasoningAllowance: allowHigh },
  },
  { match: /(^|\/)gemini-(2\.5|[3-9])/i, quirks: { reasoningAllowance: allowMedium } },
  // "presencePenalty, frequencyPenalty and stop parameters are not supported by reasoning models" (docs.x.ai).
  { match: /(^|\/)grok-[4-9](?!.*non-reasoning)/i, quirks: { mostStops: 0, reasoningAllowance: allowMedium } },
  // By the names that gateways give them.
  { match: /\/(o\d|gpt-[5-9](?!.*-chat)|gpt-oss)/i, quirks: { reasoningAllowance: allowMedium } },
  // They cannot be told not to think (platform.kimi.ai/docs/api/chat).
  { match: /(^|\/)kimi-k(2\.7|3)/i, quirks: { alwaysReasons: true } },
  { match: /(^|\/)gemini-/i, quirks: { toolDialect: "openapi", images: geminiImages } },
  { match: /(^|\/)claude-/i, quirks: { cacheMarks: true, images: claudeImages } },
  { match: /(^|\/)gemini-(2\.5|[3-9])/i, silentThinkingMs: { "openai-chat": silentMs } },
  { match: /(^|\/)grok-[4-9](?!.*non-reasoning)/i, silentThinkingMs: { "openai-chat": silentMs } },
  {
    match: /(^|\/)(open-)?(mistral|ministral|magistral|codestral|devstral|pixtral)/i,
    quirks: { nineLetterIds: true, assistantAfterTools: true },
  },
];
