import type { PhaseEnd } from "../../core/events.ts";
import type { Usage } from "../../core/model.ts";
import type { TokenUsage, TracePhase } from "../../core/trace.ts";

/** One model turn as a trace keeps it. */
export function toTracePhase({ phase, step, model, usage, elapsedMs, costUsd }: PhaseEnd): TracePhase {
  const { total_tokens: _, ...tokens } = toTokenUsage(usage);
  return { phase, step, model, ...tokens, elapsed_ms: elapsedMs, cost_usd: costUsd };
}

export function toTokenUsage(usage: Usage): TokenUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    cached_tokens: usage.cachedTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
