import { describe, expect, test } from "vitest";
import type { ModelBill, OutcomeMeta } from "../../src/core/run/outcome.ts";
import { renderBill } from "../../src/render/event-lines.ts";

function bill(tokens: number, cost_usd: number | null): ModelBill {
  return {
    ...{ provider: "fake", model: "m", calls: 1, input_tokens: tokens, output_tokens: 0, reasoning_tokens: 0 },
    ...{ cached_tokens: 0, elapsed_ms: 500, cost_usd },
  };
}

function lineOf(decide: ModelBill, answer: ModelBill, cost_usd: number | null, locale: "zh" | "en" = "en"): string {
  const meta: OutcomeMeta = {
    ...{ tool_calls_count: 0, latency_ms: 1_000, iterations: 1, mode: "agent", cost_usd },
    total_tokens: decide.input_tokens + answer.input_tokens,
    models: { function_call: decide, answer },
  };
  return renderBill({ meta }, locale);
}

describe("the cost of a run on its bill", () => {
  test("is its sum where all of it is known, also with calls that failed before they used anything", () => {
    expect(lineOf(bill(10, 0.01), bill(10, 0.002), 0.012)).toMatch(/ · 1\.0 s · \$0\.0120$/);
    expect(lineOf(bill(0, null), bill(10, 0.002), 0.002)).toMatch(/ · 1\.0 s · \$0\.0020$/);
    expect(lineOf(bill(10, 0), bill(10, 0), 0)).toMatch(/ · 1\.0 s · \$0$/);
  });

  test("is a lower bound, and says so, where a part of it is not known", () => {
    const parts = [bill(10, 0.012), bill(10, null), null] as const;
    expect(lineOf(...parts)).toMatch(/ · 1\.0 s · ≥ \$0\.0120 \(part of the cost is unknown\)$/);
    expect(lineOf(...parts, "zh")).toMatch(/ · 1\.0 s · ≥ \$0\.0120（费用部分未知）$/);
  });

  test("is left out where nothing of it is known, or nothing was used", () => {
    for (const tokens of [10, 0]) expect(lineOf(bill(tokens, null), bill(tokens, null), null)).toMatch(/ · 1\.0 s$/);
    expect(lineOf(bill(10, 0.00001), bill(10, null), null)).toMatch(/ · 1\.0 s$/);
  });
});
