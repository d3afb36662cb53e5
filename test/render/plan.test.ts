import { describe, expect, test } from "vitest";
import { readPlanReply } from "../../src/core/questions/plan-reply.ts";
import type { PlanStep } from "../../src/core/run/events.ts";
import { createPlanLines, renderPlan } from "../../src/render/plan-lines.ts";

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
      "⏭ step 2 not run: Part 2",
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

  test("cannot drive a terminal", () => {
    const [, line] = renderPlan([step(1, { description: "\u001b[2J\nx", parameters: { text: "\u009b2J" } })], "en");
    expect(line).toBe('  1. \\u{1b}[2J x · echo {"text":"\\u{9b}2J"}');
  });

  test("shows parameters whole, and of very long ones says how much is left out", () => {
    const json = (text: string) => JSON.stringify({ text });
    const long = "y".repeat(1_900);
    expect(renderPlan([step(1, { parameters: { text: long } })], "en")[1]).toBe(`  1. Part 1 · echo ${json(long)}`);
    const tooLong = { text: "y".repeat(5_000) };
    expect(renderPlan([step(1, { parameters: tooLong })], "en")[1]).toMatch(/y… \(3011 more characters not shown\)$/);
    expect(renderPlan([step(1, { parameters: tooLong })], "zh")[1]).toMatch(/y…（另有 3011 个字符未显示）$/);
  });

  test("tells many blanks in a row by their number, whatever they are made of", () => {
    const text = `a${" \u2028".repeat(500)} b`;
    expect(renderPlan([step(1, { parameters: { text } })], "en")[1]).toBe(
      '  1. Part 1 · echo {"text":"a… (1001 blanks) …b"}',
    );
  });

  test("is a list again when something has changed that is not shown", () => {
    const lines = createPlanLines("en");
    lines([step(1, { parameters: { text: `${"y".repeat(5_000)}a` } })]);
    expect(lines([step(1, { parameters: { text: `${"y".repeat(5_000)}b` } })])[0]).toBe("📋 Plan (1 step)");
  });

  test("has no lines without steps", () => {
    expect(renderPlan([], "zh")).toEqual([]);
    expect(createPlanLines("en")([])).toEqual([]);
  });
});

describe("a reply to a plan", () => {
  const yes = ["y", " YES ", "ok", "是", "是的。", "确认", "确认执行！", "Sure.", "Go", "go ahead!", "可以"];
  test.each([...yes, "好的", "好的，执行。", "执行"])("%s is a yes", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "yes" });
  });

  test.each(["n", "No.", "否", "不要", "取消", "STOP!", "q", "quit", "算了。"])("%s is a no", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "no" });
  });

  test.each([
    "yes, but not step 2",
    "no step 3",
    "y/n",
    "确认第一步",
    "go to b.txt",
    "stop after 1",
    "可以改吗？",
    "/exit",
  ])("%s is what to change", (text) => {
    expect(readPlanReply(text)).toEqual({ reply: "edit", words: text });
  });

  test("without words is none", () => {
    expect(readPlanReply("  ")).toBeUndefined();
  });
});
