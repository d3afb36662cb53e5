import { expect, test } from "vitest";
import { createSessionBill } from "../../../../src/cli/chat/status/session-bill.ts";
import type { ModelBill, Outcome } from "../../../../src/core/run/outcome.ts";

function outcome(functionCall: Partial<ModelBill>, answer: Partial<ModelBill>): Outcome {
  const bill = (model: string, more: Partial<ModelBill>): ModelBill => ({
    ...{
      provider: "fake",
      model,
      calls: 1,
      input_tokens: 100,
      output_tokens: 20,
      reasoning_tokens: 0,
      cached_tokens: 0,
    },
    ...{ elapsed_ms: 500, cost_usd: 0.001 },
    ...more,
  });
  return {
    ...{ success: true, status: "complete", stop_reason: "answered", response: "", conversation_id: "c", run_id: "r" },
    ...{ trace_id: "t", tool_calls: [], citations: [], error: null },
    meta: {
      ...{ total_tokens: 240, tool_calls_count: 0, latency_ms: 1_000, iterations: 1, mode: "agent", cost_usd: 0.002 },
      models: { function_call: bill("cheap", functionCall), answer: bill("strong", answer) },
    },
  };
}

test("a chat's bill sums each role and model, and all of it", () => {
  const bill = createSessionBill();
  expect(bill.renderLines("zh")).toEqual(["还没有用量。"]);
  bill.add(outcome({ cached_tokens: 50 }, {}));
  bill.add(outcome({ calls: 2 }, { model: "stronger", reasoning_tokens: 10 }));
  expect(bill.renderLines("en")).toEqual([
    "decide fake/cheap ×3 · 200 in (50 cached) → 40 out tok · 1.0 s · $0.0020",
    "answer fake/strong ×1 · 100 in → 20 out tok · 0.5 s · $0.0010",
    "answer fake/stronger ×1 · 100 in → 20 out (10 reasoning) tok · 0.5 s · $0.0010",
    "Total: 2 runs · 480 tok · 2.0 s · $0.0040",
  ]);
});

const unused = { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null };

test("where a price is not known, what is known is a lower bound, and a role that was not asked is left out", () => {
  const bill = createSessionBill();
  bill.add(outcome(unused, { cost_usd: null }));
  expect(bill.renderLines("en")).toEqual([
    "answer fake/strong ×1 · 100 in → 20 out tok · 0.5 s · cost unknown",
    "Total: 1 run · 240 tok · 1.0 s · cost unknown",
  ]);
  bill.add(outcome(unused, {}));
  bill.add(outcome(unused, { model: "other" }));
  expect(bill.renderLines("zh")).toEqual([
    "回答 fake/strong ×2 · 输入 200 → 输出 40 tok · 1.0 s · ≥ $0.0010（费用部分未知）",
    "回答 fake/other ×1 · 输入 100 → 输出 20 tok · 0.5 s · $0.0010",
    "合计 3 次运行 · 720 tok · 3.0 s · ≥ $0.0020（费用部分未知）",
  ]);
});

test("a call that failed before it used anything costs nothing", () => {
  const bill = createSessionBill();
  bill.add(outcome(unused, { ...unused, calls: 1 }));
  bill.add(outcome(unused, {}));
  expect(bill.renderLines("en")).toEqual([
    "answer fake/strong ×2 · 100 in → 20 out tok · 1.0 s · $0.0010",
    "Total: 2 runs · 480 tok · 2.0 s · $0.0010",
  ]);
});

test("sub-agents have a line of their own and count in the total, as far as their cost is known", () => {
  const bill = createSessionBill();
  for (const cost_usd of [0.01, null]) {
    const run = outcome({}, {});
    bill.add({ meta: { ...run.meta, agents: { runs: 1, total_tokens: 50, cost_usd } } });
  }
  const line = "sub-agents ×2 · 100 tok · ≥ $0.0100 (part of the cost is unknown)";
  const total = "Total: 2 runs · 580 tok · 2.0 s · ≥ $0.0140 (part of the cost is unknown)";
  expect(bill.renderLines("en").slice(-2)).toEqual([line, total]);
});
