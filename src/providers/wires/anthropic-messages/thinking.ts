import type { ModelSettings } from "../../../core/model-settings.ts";
import type { Parameters } from "../../middleware/parameters.ts";

/** The fields that say how much to think, and the output limit, of which thinking takes its part. */
export interface ThinkingFields {
  max_tokens: number;
  thinking?: { type: "adaptive" } | { type: "enabled"; budget_tokens: number };
  output_config?: { effort: string };
}

/** Models that think adaptively take the effort as a word, the older ones as a budget of tokens. */
export function toThinkingFields(
  { effort, maxTokens }: Parameters,
  { quirks, maxOutput }: ModelSettings,
): ThinkingFields {
  if (effort === undefined || effort === "none") return { max_tokens: maxTokens };
  if (quirks.adaptiveThinking) {
    return { max_tokens: maxTokens, thinking: { type: "adaptive" }, output_config: { effort } };
  }
  const room = (maxOutput ?? Number.POSITIVE_INFINITY) - maxTokens;
  const budget = Math.min(budgets[effort] ?? leastBudget, room);
  if (budget < leastBudget) return { max_tokens: maxTokens };
  // The limit that was set is meant for what can be read, and the budget must stay below the field's value.
  return { max_tokens: maxTokens + budget, thinking: { type: "enabled", budget_tokens: budget } };
}

/** Anthropic refuses a smaller one. */
const leastBudget = 1024;

const budgets: Readonly<Record<string, number>> = {
  low: leastBudget,
  medium: 4096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};
