import { describe, expect, test } from "vitest";
import type { PlanStep } from "../../src/core/events.ts";
import { createPlanLines, planList } from "../../src/core/plan-lines.ts";
import { readPlanReply } from "../../src/core/plan-reply.ts";

function step(number: number, more: Partial<PlanStep> = {}): PlanStep {
  return {
    step: number,
    description: `Part ${number}`,
    tool: "echo",
    parameters: { n: number },
    state: "pending",
    ...more,
  };
}

describe("a plan in lines", () => {
  test("is a list at first, a line for each change of a state after that, and a list again when its steps change", () => {
    const lines = createPlanLines("en");
    expect(lines([step(1), step(2, { tool: "", parameters: {} })])).toEqual([
      "📋 Plan (2 steps)",
      '  1. Part 1 · echo {"n":1}',
      "  2. Part 2",
    ]);
    expect(lines([step(1, { state: "running" }), step(2, { tool: "", parameters: {} })])).toEqual([
      "▶ step 1 running: Part 1",
    ]);
    expect(lines([step(1, { state: "failed" }), step(2, { tool: "", parameters: {}, state: "skipped" })])).toEqual([
      "☒ step 1 failed: Part 1",
      "⏭ step 2 skipped: Part 2",
    ]);
    expect(lines([step(1, { state: "failed" }), step(2)])).toEqual([
      "📋 Plan (2 steps)",
      '  1. Part 1 · echo {"n":1} (failed)',
      '  2. Part 2 · echo {"n":2}',
    ]);
  });

  test("says nothing where nothing has changed", () => {
    const lines = createPlanLines("zh");
    expect(lines([step(1)])[0]).toBe("📋 计划（1 步）");
    expect(lines([step(1)])).toEqual([]);
    expect(lines([step(1, { state: "done" })])).toEqual(["☑ 步骤 1 已完成：Part 1"]);
  });

  test("is short and cannot drive a terminal", () => {
    const [, line = ""] = planList(
      [step(1, { description: "\u001b[2J\nx", parameters: { text: "y".repeat(5000) } })],
      "en",
    );
    expect(line.length).toBeLessThan(250);
    expect(line).toContain("\\u{1b}[2J x");
  });
});

describe("a reply to a plan", () => {
  test.each(["y", " YES ", "ok", "是", "是的。", "确认", "确认执行！"])("%s is a yes", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "yes" });
  });

  test.each(["n", "No.", "否", "不要", "取消"])("%s is a no", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "no" });
  });

  test.each(["yes, but not step 2", "no step 3", "y/n", "确认第一步"])("%s is what to change", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "edit", words: text });
  });

  test("without words is none", () => {
    expect(readPlanReply("  ")).toBeUndefined();
  });
});
