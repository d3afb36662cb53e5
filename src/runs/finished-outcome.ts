import { hasSucceeded, type Outcome, type ToolCallRecord } from "../core/outcome.ts";
import type { AgentTrace, TraceStep } from "../core/trace.ts";
import type { Locale } from "../kit/locale.ts";
import { hideCause } from "./hide-cause.ts";

/** How a run ended, from its trace: as it was told then, but for the list of its references, which stands in the answer. */
export function toFinishedOutcome(trace: AgentTrace, locale: Locale): Outcome {
  const calls = trace.steps.flatMap(callOf);
  const outcome: Outcome = {
    success: hasSucceeded(trace.status),
    status: trace.status,
    stop_reason: trace.finish_reason,
    response: trace.final_answer,
    conversation_id: trace.conversation_id,
    run_id: trace.run_id,
    trace_id: trace.trace_id,
    tool_calls: calls,
    citations: [],
    meta: {
      total_tokens: trace.token_usage.total_tokens,
      tool_calls_count: calls.length,
      latency_ms: trace.total_ms,
      iterations: trace.phases.filter(({ phase }) => phase !== "answer").length,
      mode: trace.mode,
      cost_usd: trace.cost_usd,
      agents: trace.agents,
      models: trace.models,
    },
    error: trace.error,
  };
  return hideCause(outcome, locale);
}

function callOf({ action, observation, error, cached = false, elapsed_ms }: TraceStep): ToolCallRecord[] {
  if (action?.type !== "action") return [];
  return [
    { tool: action.tool, arguments: action.args, result: observation, ok: error === undefined, cached, elapsed_ms },
  ];
}
