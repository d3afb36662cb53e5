import type { Usage } from "../../../core/model.ts";
import { isRecord } from "../../../kit/json.ts";
import { toTokenCount } from "../turn-reader.ts";

/** Where vendors put the usage of a chunk: at the top, in the choice (Moonshot), or under `x_groq`. */
export function findUsage(chunk: Record<string, unknown>, choice: unknown): Record<string, unknown> | undefined {
  const groq = isRecord(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  return [chunk.usage, isRecord(choice) ? choice.usage : undefined, groq].find(isRecord);
}

/** On xAI and Gemini the hidden reasoning counts only in the total, hence the larger of the two is the output. */
export function toUsage(raw: Record<string, unknown>): Usage {
  const inputTokens = toTokenCount(raw.prompt_tokens);
  const hidden = inputTokens > 0 ? toTokenCount(raw.total_tokens) - inputTokens : 0;
  const input = isRecord(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const output = isRecord(raw.completion_tokens_details) ? raw.completion_tokens_details : {};
  return {
    inputTokens,
    outputTokens: Math.max(toTokenCount(raw.completion_tokens), hidden),
    reasoningTokens: toTokenCount(output.reasoning_tokens),
    // DeepSeek and Moonshot name them at the top.
    cachedTokens: toTokenCount(input.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens),
    cacheWriteTokens: toTokenCount(input.cache_write_tokens) || undefined,
  };
}
