import type { AgentTrace } from "../../src/core/run/trace.ts";
import { createId } from "../../src/core/store/create-id.ts";
import type { FinishedRun } from "../../src/core/store/store.ts";

/** A run that was asked `question` and answered `answer`; without an answer it failed. */
export function finishedRun(conversationId: string, question: string, answer?: string): FinishedRun {
  const runId = createId("run");
  const turn = answer === undefined ? undefined : { question, answer };
  return { conversationId, runId, turn, trace: traceOf(conversationId, runId, question) };
}

function traceOf(conversationId: string, runId: string, question: string): AgentTrace {
  const bill = {
    provider: "fake",
    model: "scripted",
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_tokens: 0,
    elapsed_ms: 0,
    cost_usd: null,
  };
  return {
    run_id: runId,
    conversation_id: conversationId,
    trace_id: "0",
    question,
    mode: "agent",
    started_at: "2026-11-21T00:00:00.000Z",
    status: "complete",
    steps: [],
    final_answer: "",
    finish_reason: "answered",
    used_tools: {},
    token_usage: { input_tokens: 0, output_tokens: 0, reasoning_tokens: 0, cached_tokens: 0, total_tokens: 0 },
    total_ms: 0,
    phases: [],
    models: { function_call: bill, answer: bill },
    cost_usd: null,
    notes: [],
    error: null,
  };
}

/** A page that was found under this address. */
export function page(url: string): { title: string; url: string; snippet: string } {
  return { title: `Title of ${url}`, url, snippet: `Snippet of ${url}` };
}
