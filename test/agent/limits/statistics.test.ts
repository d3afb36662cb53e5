import { describe, expect, test } from "vitest";
import { createStatistics } from "../../../src/agent/limits/statistics.ts";
import { noUsage } from "../../../src/core/model/model.ts";
import { scriptedModel } from "../../fakes/model.ts";

const model = scriptedModel([]);

function bills(...calls: ["functionCall" | "answer", number | null][]) {
  const statistics = createStatistics();
  for (const [role, cost] of calls)
    statistics.add(
      role,
      { usage: noUsage, elapsedMs: 1, costs: [cost] },
      { model: scriptedModel([]), isFallback: false },
    );
  return [
    statistics.bill("functionCall", model).cost_usd,
    statistics.bill("answer", model).cost_usd,
    statistics.totalCost(),
  ];
}

describe("what a run cost", () => {
  test("is the sum of its calls, by role and in all", () => {
    expect(bills(["functionCall", 0.1], ["functionCall", 0.2], ["answer", 0.0000003])).toEqual([0.3, 3e-7, 0.3000003]);
  });

  test("is not known for a role with no calls, which costs the whole nothing", () => {
    expect(bills(["functionCall", 0.1])).toEqual([0.1, null, 0.1]);
    expect(bills()).toEqual([null, null, null]);
  });

  test("is not known as soon as one call's is not", () => {
    expect(bills(["functionCall", 0.1], ["functionCall", null], ["answer", 0.2])).toEqual([null, 0.2, null]);
  });
});
