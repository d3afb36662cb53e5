import { addNotices, toOutcomeNotices } from "../../core/notices/outcome-notices.ts";
import { hasSucceeded, type Outcome, type ToolCallRecord } from "../../core/run/outcome.ts";
import type { AgentTrace, TraceStep } from "../../core/run/trace.ts";
import type { ErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/** Rebuilds the outcome of a finished run from its trace. Its list of citations is empty where an earlier version has stored that. */
export function toFinishedOutcome(trace: AgentTrace, locale: Locale): Outcome {
  const calls = trace.steps.flatMap(toCallRecord);
  const outcome: Outcome = {
    success: hasSucceeded(trace.status),
    status: trace.status,
    stop_reason: trace.finish_reason,
    response: trace.final_answer,
    conversation_id: trace.conversation_id,
    run_id: trace.run_id,
    trace_id: trace.trace_id,
    tool_calls: calls,
    citations: trace.citations ?? [],
    meta: {
      total_tokens: trace.token_usage.total_tokens,
      tool_calls_count: calls.length,
      latency_ms: trace.total_ms,
      iterations: trace.iterations ?? countDecidePhases(trace),
      mode: trace.mode,
      cost_usd: trace.cost_usd,
      agents: trace.agents,
      models: trace.models,
    },
    error: trace.error,
    ...(trace.limit && { limit: trace.limit }),
    ...(trace.output && { output: trace.output }),
  };
  return hideCause(addNotices(outcome, toOutcomeNotices(trace.notes ?? [])), locale);
}

/** Estimates the iterations of a run whose trace an earlier version has stored, which does not count them. */
function countDecidePhases({ phases }: AgentTrace): number {
  return phases.filter(({ phase }) => phase !== "answer").length;
}

function toCallRecord({ action, observation, error, cached = false, elapsed_ms }: TraceStep): ToolCallRecord[] {
  if (action?.type !== "action") return [];
  return [
    { tool: action.tool, arguments: action.args, result: observation, ok: error === undefined, cached, elapsed_ms },
  ];
}

/** Represents an outcome or a trace. */
interface RunReport {
  run_id: string;
  trace_id: string;
  error: ErrorReport | null;
}

/**
 * Hides the cause when a fault of the program ended the run. The caller learns only that it failed, and the id by which the
 * operator finds it. The cause may name files of this machine, so it is kept only in the stored trace and in the log, for the
 * operator.
 */
export function hideCause<T extends RunReport>(report: T, locale: Locale): T {
  if (report.error?.code !== "internal") return report;
  // A run that never began has no trace.
  const name = report.trace_id === "" ? `run_id ${report.run_id}` : `trace_id ${report.trace_id}`;
  return {
    ...report,
    error: { code: "internal", message: say(locale, describeFault(name)), hint: say(locale, askOperator) },
  };
}

/** Hides the cause in a stored trace, whose last step also contains the error's text. */
export function hideCauseInTrace(trace: AgentTrace, locale: Locale): AgentTrace {
  const hidden = hideCause(trace, locale);
  if (hidden === trace) return trace;
  const steps = trace.steps.map((step) =>
    step.error === trace.error?.message ? { ...step, error: hidden.error?.message } : step,
  );
  return { ...hidden, steps };
}

function describeFault(name: string): Text {
  return { zh: `服务器内部错误（${name}）。`, en: `Internal server error (${name}).` };
}

const askOperator: Text = {
  zh: "请把这个编号告诉服务器管理员，原因记录在服务器日志和追踪中。",
  en: "Report this ID to the operator of the server: its log and the trace contain the cause.",
};
