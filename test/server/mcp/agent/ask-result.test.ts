import { expect, test } from "vitest";
import type { Outcome } from "../../../../src/core/run/outcome.ts";
import { toAskResult } from "../../../../src/server/mcp/agent/ask-result.ts";

test("the call that confirms a plan is JSON, whatever id the caller chose for the conversation", () => {
  const id = 'a "quoted"\nid';
  const { content } = toAskResult(waiting(id), { locale: "en" });
  const text = content[0]?.type === "text" ? content[0].text : "";
  const [, call = ""] = /such as agent_ask (.*)$/.exec(text) ?? [];
  expect(JSON.parse(call)).toEqual({ conversation_id: id, mode: "plan", question: "y", confirmation: "token" });
});

test("a plan that does not wait any more is shown without a call that would confirm another one", () => {
  const { content } = toAskResult({ ...waiting("conv-1"), confirmation: undefined }, { locale: "en" });
  const text = content[0]?.type === "text" ? content[0].text : "";
  expect(text).toContain("no longer waiting for confirmation");
  expect(text).not.toContain("agent_ask");
});

function waiting(conversationId: string): Outcome {
  const bill = {
    ...{ provider: "fake", model: "scripted", calls: 1, elapsed_ms: 1, cost_usd: null },
    ...{ input_tokens: 1, output_tokens: 1, reasoning_tokens: 0, cached_tokens: 0 },
  };
  return {
    ...{ success: true, status: "needs_confirmation", stop_reason: "confirmation", response: "1. Say it" },
    ...{ conversation_id: conversationId, run_id: "run-1", trace_id: "1", tool_calls: [], citations: [], error: null },
    confirmation: { token: "token", kind: "plan", expires_at: new Date(0).toISOString() },
    meta: {
      ...{ total_tokens: 2, tool_calls_count: 0, latency_ms: 1, iterations: 1, mode: "plan", cost_usd: null },
      models: { function_call: bill, answer: bill },
    },
  };
}
