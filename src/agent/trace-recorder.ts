import type { AgentEvent } from "../core/events.ts";
import type { Outcome } from "../core/outcome.ts";
import type { AgentTrace } from "../core/trace.ts";

/** Makes a run's trace from its events. */
export interface TraceRecorder {
  take(event: AgentEvent): void;
  /** The trace of a run that came to this outcome. */
  finish(outcome: Outcome): AgentTrace;
}

export function createTraceRecorder({ question }: { question: string }): TraceRecorder {
  const startedAt = new Date().toISOString();
  return {
    take() {},
    finish: (outcome) => ({
      run_id: outcome.run_id,
      conversation_id: outcome.conversation_id,
      trace_id: outcome.trace_id,
      question,
      mode: outcome.meta.mode,
      started_at: startedAt,
      status: outcome.status,
      steps: [],
      final_answer: outcome.response,
      finish_reason: outcome.stop_reason,
      used_tools: {},
      token_usage: {
        input_tokens: 0,
        output_tokens: 0,
        reasoning_tokens: 0,
        cached_tokens: 0,
        total_tokens: outcome.meta.total_tokens,
      },
      total_ms: outcome.meta.latency_ms,
      phases: [],
      models: outcome.meta.models,
      cost_usd: outcome.meta.cost_usd,
      notes: [],
      error: outcome.error,
    }),
  };
}
