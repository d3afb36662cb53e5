import { expect, onTestFinished, test, vi } from "vitest";
import { mergeLimits } from "../../../src/app/ask/merge-limits.ts";
import { loadConfig } from "../../../src/config/load-config.ts";

const agent = { maxExecutionTime: 60, tokenBudget: 10_000, costBudget: 2, maxToolCalls: 5 };
const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings: { agent } });

test("a question may change the configured limits", () => {
  expect(mergeLimits(config, { tokenBudget: 20_000, maxExecutionTimeMs: 90_000, costBudget: 3 })).toMatchObject({
    tokenBudget: 20_000,
    maxExecutionTimeMs: 90_000,
    costBudget: 3,
    maxToolCalls: 5,
  });
});

test("a run never uses more tokens, money or time than the agent above leaves it, whatever the question says", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const chain = { depth: 1, budget: 500, cost: 0.25, deadline: Date.now() + 10_000 };
  const left = { tokenBudget: 500, costBudget: 0.25, maxExecutionTimeMs: 9600 };
  expect(mergeLimits(config, {}, chain)).toMatchObject(left);
  expect(mergeLimits(config, { tokenBudget: 9999, costBudget: 9, maxExecutionTimeMs: 99_999 }, chain)).toMatchObject(
    left,
  );
});

test("a run keeps its own limits where the agent above leaves more", () => {
  const chain = { depth: 1, budget: 1e9, cost: 100, deadline: Date.now() + 3_600_000 };
  expect(mergeLimits(config, {}, chain)).toMatchObject({
    tokenBudget: 10_000,
    costBudget: 2,
    maxExecutionTimeMs: 60_000,
  });
});

test("a run that begins after the deadline of the agent above has no time", () => {
  expect(mergeLimits(config, {}, { depth: 1, deadline: Date.now() - 1000 }).maxExecutionTimeMs).toBe(0);
});
