import { afterEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { ToolResult } from "../../../src/core/tools/tool.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { makeTool, noticesOf, outcomeOf } from "../../fakes/events.ts";
import { type Overrides, runAll, runOptions, streamRun } from "../../fakes/run.ts";
import { callsOf, lastAsked, planners, plansOf, statesOf, written } from "./planning.ts";

const add = { tool: "calculator", parameters: { expression: "2+3" } };
const open = { tool: "echo", parameters: { text: "?" } };
const never = makeTool("never", () => new Promise<ToolResult>(() => {}));
const tools = [...createBuiltinTools({ roots: ["."], locale: "en", search: undefined }), never];
const planPolicy = { unattended: "run", onFailure: "replan", retries: 1 } as const;

describe("a limit ends the plan, and the answer model says what there is", () => {
  afterEach(() => void vi.useRealTimers());

  test("of time, while a tool keeps us waiting", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const slow = makeTool("slow", async (): Promise<ToolResult> => {
      await vi.advanceTimersByTimeAsync(45_000);
      return new Promise(() => {});
    });
    const models = planners([written(add, { tool: "slow" }, add)], "It is 5 so far.");
    const limits = { maxExecutionTimeMs: 60_000 };
    const events = await runAll({ mode: "plan", models, tools: [...tools, slow], limits });
    expect(statesOf(events).at(-1)).toBe("done failed skipped");
    expect(outcomeOf(events)).toMatchObject({
      status: "partial",
      stop_reason: "time_limit",
      response: "It is 5 so far.",
    });
    expect(noticesOf(events)).toEqual(["time-limit"]);
  });

  test("of time, while the model plans", async () => {
    const models = planners([{ hang: true }], "I ran out of time.");
    const events = await runAll({ mode: "plan", models, tools, limits: { maxExecutionTimeMs: 400 } });
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "time_limit" });
  });

  test("of tool calls, which retries use up too", async () => {
    const failing = makeTool("failing", () => ({
      ok: false,
      text: "no",
      error: { code: "overloaded", message: "no" },
    }));
    const models = planners([written({ tool: "failing" }, add)]);
    const limits = { maxToolCalls: 2 };
    const skip = { ...planPolicy, onFailure: "skip" } as const;
    const events = await runAll({ mode: "plan", models, tools: [...tools, failing], limits, planPolicy: skip });
    expect(callsOf(events)).toEqual(["1 failing {}", "1 failing {}"]);
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
  });

  test("of iterations does not count the turns that fill in the parameters of steps", async () => {
    const filled = [{ id: "a", name: open.tool, input: { text: "a" } }];
    const models = planners([written(...Array(6).fill(open)), ...Array(6).fill(filled)]);
    const events = await runAll({ mode: "plan", models, tools, limits: { maxIterations: 1, maxToolCalls: 6 } });
    expect(statesOf(events).at(-1)).toBe("done done done done done done");
    expect(outcomeOf(events)).toMatchObject({ status: "complete", meta: { iterations: 7 } });
  });

  test("of tool calls leaves the steps that it keeps from running as not run, with the reason", async () => {
    const filled = [1, 2, 3].map((n) => ({ id: `${n}`, name: open.tool, input: { text: `${n}` } }));
    const models = planners([written(open, add, add), filled]);
    const events = await runAll({ mode: "plan", models, tools, limits: { maxToolCalls: 3 } });
    expect(callsOf(events)).toHaveLength(3);
    expect(
      plansOf(events)
        .at(-1)
        ?.map(({ state, reason }) => [state, reason]),
    ).toEqual([
      ["done", undefined],
      ["skipped", "limit"],
      ["skipped", "limit"],
    ]);
    expect(lastAsked(models.answer, 0)).toContain("2. Use calculator (calculator): not run, limit reached");
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
  });

  test("of iterations, when planning has used them up and there is still no plan", async () => {
    const models = planners(["a", "b", "c"], "I made no plan.");
    const events = await runAll({ mode: "plan", models, tools, limits: { maxIterations: 3 } });
    expect(models.functionCall.requests).toHaveLength(3);
    expect(statesOf(events)).toEqual(["pending", "skipped"]);
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "iteration_limit" });
  });

  test("of iterations does not stand against a plan that one turn has made", async () => {
    const events = await runAll({
      mode: "plan",
      models: planners([written(add, add)]),
      tools,
      limits: { maxIterations: 1 },
    });
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("of tokens, when the plan has used them up", async () => {
    const models = planners([{ text: written(add), tokens: 500 }]);
    const events = await runAll({ mode: "plan", models, tools, limits: { tokenBudget: 1100 } });
    expect(callsOf(events)).toEqual([]);
    expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "token_limit" });
  });
});

describe("a cancel leaves no step running and ends in one run-end", () => {
  const answer = { text: "It is", hang: true } as const;

  test.each<[string, Overrides, AgentEvent["type"], string[]]>([
    ["while the model plans", { models: planners([{ hang: true }]) }, "phase-start", []],
    [
      "while a reader thinks",
      { models: planners([written(add)]), confirmPlan: () => new Promise(() => {}) },
      "plan",
      ["pending", "skipped"],
    ],
    [
      "while a step runs",
      { models: planners([written({ tool: "never" }, add)]) },
      "tool-start",
      ["pending pending", "running pending", "failed skipped"],
    ],
    [
      "while the model fills in parameters",
      { models: planners([written(open), { text: "Hm.", hang: true }]) },
      "thought-delta",
      ["pending", "running", "skipped"],
    ],
    [
      "while the answer is written",
      { models: planners([written(add)], answer) },
      "answer-delta",
      ["pending", "running", "done"],
    ],
  ])("%s", async (_, overrides, at, states) => {
    const stop = new AbortController();
    const events: AgentEvent[] = [];
    const options = await runOptions({ mode: "plan", tools, signal: stop.signal, ...overrides });
    for await (const event of streamRun(options)) {
      events.push(event);
      if (event.type === at) stop.abort(new Error("enough"));
    }
    expect(outcomeOf(events)).toMatchObject({ status: "cancelled", stop_reason: "cancelled" });
    expect(statesOf(events)).toEqual(states);
    const ends = events.filter(({ type }) => type === "phase-end" || type === "tool-end").length;
    const starts = events.filter(({ type }) => type === "phase-start" || type === "tool-start").length;
    expect(ends).toBe(starts);
  });

  test("before anything was planned", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    const events = await runAll({ mode: "plan", models: planners([]), tools, signal });
    expect(outcomeOf(events).status).toBe("cancelled");
    expect(plansOf(events)).toEqual([]);
  });
});
