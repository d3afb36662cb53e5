import type { ResumableRun } from "../../app/ask/resume-run.ts";
import type { ModelBill, Outcome } from "../../core/run/outcome.ts";
import { say } from "../../kit/locale.ts";

/** Returns what is known of a run whose process has ended, and which does not go on by itself. */
export function toInterruptedOutcome({ runId, conversationId, header, lastAt }: ResumableRun): Outcome {
  const { locale, mode, models, traceId } = header;
  return {
    success: false,
    status: "failed",
    stop_reason: "error",
    response: "",
    conversation_id: conversationId,
    run_id: runId,
    trace_id: traceId,
    tool_calls: [],
    citations: [],
    meta: {
      total_tokens: 0,
      tool_calls_count: 0,
      latency_ms: 0,
      iterations: 0,
      mode,
      cost_usd: null,
      models: { function_call: toBill(models.functionCall), answer: toBill(models.answer) },
    },
    error: {
      code: "server",
      message: say(locale, {
        zh: `程序在这次运行中意外结束，最后的记录时间是 ${lastAt}，它没有自动继续。`,
        en: `The program ended unexpectedly during this run, whose last record is of ${lastAt}. It did not go on by itself.`,
      }),
      hint: say(locale, {
        zh: "用同一个 Idempotency-Key 再次提问，或在 MCP 中用它的 run_id 调用 agent_result，它会从记录继续。",
        en: "Ask again with the same Idempotency-Key, or call agent_result over MCP with its run_id: it then goes on from its records.",
      }),
    },
  };
}

function toBill(name: string): ModelBill {
  const slash = name.indexOf("/");
  return {
    provider: name.slice(0, Math.max(0, slash)),
    model: name.slice(slash + 1),
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_tokens: 0,
    elapsed_ms: 0,
    cost_usd: null,
  };
}
