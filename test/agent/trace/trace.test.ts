import { describe, expect, test } from "vitest";
import { createTraceRecorder } from "../../../src/agent/trace/trace-recorder.ts";
import type { AgentEvent, PlanStep } from "../../../src/core/run/events.ts";
import type { Outcome, ToolCallRecord } from "../../../src/core/run/outcome.ts";
import type { AgentTrace } from "../../../src/core/run/trace.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { toFinishedOutcome } from "../../../src/runs/outcomes/finished-outcome.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { type Overrides, runAll } from "../../fakes/run.ts";

const longest = 20_000;

/** The trace that the store keeps of a run, and its outcome. */
async function traced(overrides: Overrides): Promise<{ trace: AgentTrace; outcome: Outcome }> {
  const store = createMemoryStore();
  const outcome = outcomeOf(await runAll({ ...overrides, store }));
  const trace = await store.trace(outcome.run_id);
  if (trace === undefined) throw new Error("the store keeps no trace");
  return { trace, outcome };
}

describe("the trace of a run", () => {
  test("has a step for each call of a turn, the thought with the first, and the answer as the last", async () => {
    const calls = [
      { id: "a", name: "look", input: { at: "left" } },
      { id: "b", name: "look", input: { at: "right" } },
    ];
    const models = {
      functionCall: scriptedModel([{ text: "Both sides.", calls, tokens: 20 }, "Enough."], "cheap"),
      answer: scriptedModel([{ text: "Nothing there.", reasoning: "So be it." }], "strong"),
    };
    const tools = [makeTool("look", (args) => ({ ok: true, text: `nothing at ${JSON.stringify(args)}` }))];
    const { trace, outcome } = await traced({ models, tools });

    expect(trace.steps).toMatchObject([
      {
        step: 1,
        thought: "Both sides.",
        action: { type: "action", tool: "look", args: { at: "left" } },
        observation: 'nothing at {"at":"left"}',
      },
      { step: 2, thought: undefined, action: { args: { at: "right" } }, observation: 'nothing at {"at":"right"}' },
      { step: 3, thought: "Enough.\nSo be it.", action: { type: "final", tool: "" }, observation: "" },
    ]);
    expect(trace).toMatchObject({
      run_id: outcome.run_id,
      conversation_id: outcome.conversation_id,
      trace_id: outcome.trace_id,
      question: "What is Duet?",
      mode: "agent",
      status: "complete",
      final_answer: "Nothing there.",
      finish_reason: "answered",
      total_ms: outcome.meta.latency_ms,
      models: outcome.meta.models,
      error: null,
    });
    expect(trace.used_tools).toEqual({ look: { count: 2, total_ms: expect.any(Number) } });
  });

  test("says what each model turn used, and its sum", async () => {
    const look = [{ id: "a", name: "look", input: {} }];
    const cheap = { ...scriptedModel([{ calls: look, tokens: 20 }, "Enough."], "cheap"), cost: () => 0.25 };
    const models = { functionCall: cheap, answer: scriptedModel(["Nothing."], "strong") };
    const { trace, outcome } = await traced({ models, tools: [makeTool("look", () => ({ ok: true, text: "none" }))] });

    expect(trace.phases).toMatchObject([
      { phase: "decide", step: 1, model: "fake/cheap", input_tokens: 20, output_tokens: 20, cost_usd: 0.25 },
      { phase: "decide", step: 2, model: "fake/cheap", input_tokens: 10, cost_usd: 0.25 },
      { phase: "answer", step: 3, model: "fake/strong", output_tokens: 10, cost_usd: null },
    ]);
    expect(trace.token_usage).toEqual({
      input_tokens: 40,
      output_tokens: 40,
      reasoning_tokens: 0,
      cached_tokens: 0,
      total_tokens: outcome.meta.total_tokens,
    });
  });

  test("notes what the reader was told, a limit once", async () => {
    const models = {
      functionCall: scriptedModel([["a", "b"].map((id) => ({ id, name: "look", input: { id } }))]),
      answer: scriptedModel(["Nothing."]),
    };
    const tools = [makeTool("look", () => ({ ok: true, text: "nothing that could be seen from here" }))];
    const { trace } = await traced({ models, tools, limits: { maxToolCalls: 1 } });
    expect(trace.notes).toMatchObject([
      {
        level: "warning",
        code: "tool-call-limit",
        message: expect.stringContaining("limit of 1 tool call is reached"),
      },
    ]);
    expect(trace).toMatchObject({ status: "partial", finish_reason: "tool_call_limit" });
  });

  test("gives back the outcome, with its count of iterations and the limit that ended the work", async () => {
    const overloaded = new DuetError({ code: "overloaded", text: { zh: "忙", en: "busy" } });
    const second = scriptedModel([[{ id: "a", name: "look", input: {} }]], "second");
    const models = {
      functionCall: scriptedModel([{ error: overloaded }], "first"),
      answer: scriptedModel(["Nothing."], "strong"),
      fallbacks: { functionCall: [second], answer: [] },
    };
    const tools = [makeTool("look", () => ({ ok: true, text: "nothing that could be seen from here" }))];
    const { trace, outcome } = await traced({ models, tools, limits: { maxIterations: 1 } });
    expect(outcome.meta.iterations).toBe(1);
    expect(outcome.limit).toEqual({ setting: "agent.maxIterations", value: 1 });
    const { limit, meta } = toFinishedOutcome(trace, "en");
    expect({ limit, meta }).toEqual({ limit: outcome.limit, meta: outcome.meta });
    const { iterations: _, limit: __, ...older } = trace;
    expect(toFinishedOutcome(older, "en")).toMatchObject({ meta: { iterations: 2 } });
  });

  test("says why a call failed, and does not count a tool that does not exist", async () => {
    const functionCall = scriptedModel([
      [
        { id: "a", name: "broken", input: {} },
        { id: "b", name: "missing", input: {} },
      ],
      "Enough.",
    ]);
    const tools = [
      makeTool("broken", () => {
        throw new Error("no such luck");
      }),
    ];
    const { trace } = await traced({ models: { functionCall, answer: scriptedModel(["Sorry."]) }, tools });
    expect(trace.steps[0]).toMatchObject({ observation: "no such luck", error: "no such luck" });
    expect(trace.steps[1]?.error).toContain("There is no tool named missing");
    expect(Object.keys(trace.used_tools)).toEqual(["broken"]);
  });

  test("ends without an action when there is no answer, and says why", async () => {
    const error = new DuetError({ code: "auth", text: { zh: "密钥无效", en: "the key is not valid" } });
    const model = scriptedModel([{ error }]);
    const { trace } = await traced({ models: { functionCall: model, answer: model } });
    expect(trace.steps).toMatchObject([{ step: 1, action: null, error: "the key is not valid" }]);
    expect(trace).toMatchObject({ status: "failed", final_answer: "", error: { code: "auth" } });
  });

  test("keeps the start of a long result and of a long thought, and says how much is missing", async () => {
    const result = "r".repeat(longest + 7);
    const functionCall = scriptedModel([
      { text: "t".repeat(longest + 5), calls: [{ id: "a", name: "look", input: {} }] },
      "Enough.",
    ]);
    const tools = [makeTool("look", () => ({ ok: true, text: result }))];
    const { trace, outcome } = await traced({ models: { functionCall, answer: scriptedModel(["Long."]) }, tools });
    const read = outcome.tool_calls[0]?.result ?? "";
    expect(trace.steps[0]?.thought).toHaveLength(longest);
    expect(trace.steps[0]?.thought_left_out).toBe(5);
    expect(trace.steps[0]?.observation).toBe(read.slice(0, longest));
    expect(trace.steps[0]?.observation_left_out ?? 0).toBe(read.length - (trace.steps[0]?.observation.length ?? 0));
  });

  test("carries the trace id of whoever observes the run, who is told every event", async () => {
    const seen: string[] = [];
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const model = scriptedModel(["Hello."]);
    const observer = { traceId, handle: ({ type }: AgentEvent) => void seen.push(type) };
    const events = await runAll({ models: { functionCall: model, answer: model }, observer });
    expect(outcomeOf(events).trace_id).toBe(traceId);
    expect(seen).toEqual(events.map(({ type }) => type));
  });
});

describe("the recorder", () => {
  const callOf = (tool: string, args: object, callId: string): AgentEvent[] => [
    { type: "tool-start", callId, step: 1, tool, arguments: { ...args } },
    { type: "tool-end", callId, step: 1, tool, ok: true, cached: false, preview: "", elapsedMs: 1 },
  ];
  const recordOf = (tool: string, args: object, result: string): ToolCallRecord => ({
    tool,
    arguments: { ...args },
    result,
    ok: true,
    cached: false,
    elapsed_ms: 1,
  });

  async function outcomeWith(records: ToolCallRecord[]): Promise<Outcome> {
    const model = scriptedModel(["Done."]);
    const outcome = outcomeOf(await runAll({ models: { functionCall: model, answer: model } }));
    return { ...outcome, tool_calls: records };
  }

  test("gives each call its own result, in whatever order the calls began", async () => {
    const recorder = createTraceRecorder({ question: "?" });
    for (const event of [
      ...callOf("look", { at: 2 }, "2"),
      ...callOf("look", { at: 1 }, "1"),
      ...callOf("look", { at: 1 }, "3"),
    ])
      recorder.handle(event);
    const records = [
      recordOf("look", { at: 1 }, "one"),
      recordOf("look", { at: 1 }, "one again"),
      recordOf("look", { at: 2 }, "two"),
    ];
    const { steps } = recorder.finish(await outcomeWith(records));
    expect(steps.map(({ observation }) => observation)).toEqual(["two", "one", "one again", ""]);
  });

  test("counts a tool under any name that a model may think of", async () => {
    const recorder = createTraceRecorder({ question: "?" });
    for (const event of callOf("__proto__", {}, "1")) recorder.handle(event);
    const { used_tools } = recorder.finish(await outcomeWith([recordOf("__proto__", {}, "ok")]));
    expect(JSON.stringify(used_tools)).toBe('{"__proto__":{"count":1,"total_ms":1}}');
  });

  test("keeps the plan as it stood last", async () => {
    const recorder = createTraceRecorder({ question: "?" });
    const step: PlanStep = { step: 1, description: "look", tool: "look", parameters: {}, state: "pending" };
    for (const state of ["pending", "running", "done"] as const)
      recorder.handle({ type: "plan", steps: [{ ...step, state }] });
    expect(recorder.finish(await outcomeWith([])).plan).toEqual([{ ...step, state: "done" }]);
  });

  test("does not grow with what it leaves out", async () => {
    const recorder = createTraceRecorder({ question: "?" });
    const pieces = 100_000;
    for (let count = 0; count < pieces; count++) recorder.handle({ type: "thought-delta", text: "hm, " });
    for (let count = 0; count < 1000; count++)
      recorder.handle({ type: "notice", level: "info", code: "x", message: `note ${count} ${"x".repeat(5000)}` });
    const { steps, notes } = recorder.finish(await outcomeWith([]));
    expect((steps[0]?.thought?.length ?? 0) + (steps[0]?.thought_left_out ?? 0)).toBeCloseTo(4 * pieces, -1);
    expect(steps[0]?.thought?.length).toBeLessThanOrEqual(longest);
    expect(JSON.stringify(notes).length).toBeLessThan(500_000);
  });
});

describe("what a tool itself gave", () => {
  const call = (id: string, tool: string) => ({ id, name: tool, input: { id } });

  test("stands whole beside the observation, as it was before it was numbered or shortened", async () => {
    const long = `begin ${"x".repeat(100_000)} end`;
    const source = { title: "Duet", url: "https://example.com/duet", snippet: "An agent." };
    const tools = [
      makeTool("long", () => ({ ok: true, text: long })),
      makeTool("search", () => ({ ok: true, text: "one page, raw", sources: [source] })),
      makeTool("fail", () => ({ ok: false, text: "raw failure", error: { code: "tool", message: "it failed" } })),
    ];
    const functionCall = scriptedModel([
      [call("1", "long"), call("2", "search"), call("3", "fail"), call("4", "none")],
      "Ok.",
    ]);
    const { trace } = await traced({ models: { functionCall, answer: scriptedModel(["Done."]) }, tools });
    const [first, second, third, unknown, final] = trace.steps;
    expect(first?.tool_output).toBe(long);
    expect(first?.observation.length).toBeLessThan(longest + 1);
    expect(first?.tool_output_left_out).toBeUndefined();
    expect(second).toMatchObject({
      tool_output: "one page, raw",
      observation: "[1] Duet\nhttps://example.com/duet\nAn agent.",
    });
    expect(third).toMatchObject({ tool_output: "raw failure", observation: "raw failure" });
    for (const step of [unknown, final]) expect(step).not.toHaveProperty("tool_output");
  });

  test("is kept up to 256 Ki characters of a call and 1 Mi of a run; what was left out is counted", async () => {
    const tools = [makeTool("huge", () => ({ ok: true, text: "y".repeat(300_000) }))];
    const calls = Array.from({ length: 6 }, (_, index) => call(String(index), "huge"));
    const functionCall = scriptedModel([calls, "Ok."]);
    const { trace } = await traced({
      models: { functionCall, answer: scriptedModel(["Done."]) },
      tools,
      limits: { maxToolCalls: 10, maxParallel: 1 },
    });
    const kept = trace.steps
      .slice(0, 6)
      .map(({ tool_output = "", tool_output_left_out }) => [tool_output.length, tool_output_left_out]);
    const [whole, left] = [256 * 1024, 300_000 - 256 * 1024];
    expect(kept).toEqual([...Array.from({ length: 4 }, () => [whole, left]), [0, 300_000], [0, 300_000]]);
  });
});
