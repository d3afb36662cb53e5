import type { Usage } from "../../../core/model/model.ts";
import { isRecord } from "../../../kit/json.ts";
import { toTokenCount } from "../turn-reader.ts";

/** Returns the text of a chunk that has nothing else to read. */
export function findPlainText(chunk: unknown): string | undefined {
  if (!isRecord(chunk) || isFailure(chunk)) return undefined;
  const choice = findFirstChoice(chunk.choices);
  if (findUsage(chunk, choice) || !isRecord(choice) || choice.finish_reason || !isRecord(choice.delta))
    return undefined;
  const { content, role: _, ...others } = choice.delta;
  if (typeof content !== "string") return undefined;
  return Object.values(others).every((value) => value === null || value === "") ? content : undefined;
}

/** Several choices are answers to the same question. Only the first one was asked for. */
export function findFirstChoice(choices: unknown): unknown {
  if (!Array.isArray(choices)) return undefined;
  return choices.find((choice) => !isRecord(choice) || typeof choice.index !== "number" || choice.index === 0);
}

/** Errors come as `error` beside or instead of `choices`, or as a bare object with a message. */
export function isFailure(chunk: Record<string, unknown>): boolean {
  if (chunk.error !== undefined && chunk.error !== null) return true;
  const bare = typeof chunk.message === "string" || chunk.detail !== undefined;
  return bare && !Array.isArray(chunk.choices);
}

/** Finds the usage in a chunk. Vendors put it at the top, in the choice (Moonshot), or under `x_groq`. */
export function findUsage(chunk: Record<string, unknown>, choice: unknown): Record<string, unknown> | undefined {
  const groq = isRecord(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  return [chunk.usage, isRecord(choice) ? choice.usage : undefined, groq].find(isRecord);
}

/** xAI and Gemini count hidden reasoning only in the total, so the larger of the two is the output. */
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
