import type { Text } from "../kit/locale.ts";

/** Says which values a model's parameters may have (docs/development/model-invocation.md#无效参数). */
export const parameterRanges: Record<"temperature" | "max_tokens" | "top_p", Text> = {
  temperature: { zh: "0 <= temperature < 2（Anthropic：<= 1）", en: "0 <= temperature < 2 (Anthropic: <= 1)" },
  max_tokens: { zh: "不小于 1 的整数", en: "an integer of at least 1" },
  top_p: { zh: "0 < top_p <= 1", en: "0 < top_p <= 1" },
};
