import { expect, test } from "vitest";
import type { AgentEvent } from "../../../../src/core/run/events.ts";
import type { ModelBill, Outcome } from "../../../../src/core/run/outcome.ts";
import { createPageRunState, type RunChange, reducePageRun } from "../../../../src/server/web/run/page-run-state.ts";
import { readEvents, readOutcome } from "../../../../src/server/web/run/read-run.ts";
import type { RunView } from "../../../../src/server/web/run/run-view.ts";
import { toView } from "../../../../src/server/web/run/to-view.ts";
import { renderStatus, renderStepTitle } from "../../../../src/server/web/texts.ts";

const events: AgentEvent[] = [
  { type: "phase-start", phase: "decide", step: 1, model: "fake/decider", reason: "which tools" },
  { type: "reasoning-delta", phase: "decide", text: "Hm" },
  { type: "thought-delta", text: "Look " },
  { type: "thought-delta", text: "it up." },
  phaseEnd("decide", 0.001),
  { type: "tool-start", callId: "1", step: 1, tool: "web_search", arguments: { query: "Duet" } },
  { type: "tool-progress", callId: "1", message: "", progress: 1, total: 2 },
  { type: "tool-end", callId: "1", step: 1, tool: "web_search", ok: true, cached: true, preview: "Du…", elapsedMs: 12 },
  { type: "evaluation", verdict: "continue", reason: "model-decides", message: "go on" },
  { type: "phase-start", phase: "answer", step: 2, model: "fake/writer", reason: "write" },
  { type: "answer-delta", text: "Duet [1]", citations: [{ n: 1, title: "Duet", url: "https://example.com/" }] },
];

test("events become steps with thought, calls and evaluations, the answer as it grows, and a bill", () => {
  const view = viewAfter({ type: "asked", question: "What is Duet?" }, told(events));
  expect(view).toMatchObject({ question: "What is Duet?", runId: "run-1", status: "running", answer: "Duet [1]" });
  expect(view.sources).toEqual([{ n: 1, title: "Duet", url: "https://example.com/" }]);
  const [decide, answer] = view.steps;
  expect(decide).toMatchObject({ reasoning: "Hm", thought: "Look it up.", end: { inputTokens: 10, outputTokens: 5 } });
  const call = {
    kind: "call",
    tool: "web_search",
    progress: "1/2",
    end: { isOk: true, isCached: true, result: "Du…" },
  };
  expect(decide?.items).toMatchObject([call, { kind: "evaluation", message: "go on" }]);
  expect(answer).toMatchObject({ phase: "answer", end: undefined });
  expect(view.bill).toMatchObject([{ phase: "decide", model: "fake/decider", calls: 1, costUsd: 0.001 }]);
  expect(renderStatus(view, "en")).toBe("Writing the answer…");
  expect(renderStatus(view, "zh")).toBe("正在写回答…");
});

test("one turn of an unknown price makes its phase's cost unknown, not less", () => {
  const turns = [0.001, null].flatMap((cost): AgentEvent[] => [
    { type: "phase-start", phase: "decide", step: 1, model: "fake/decider", reason: "" },
    phaseEnd("decide", cost),
  ]);
  expect(viewAfter(told(turns)).bill).toMatchObject([{ calls: 2, inputTokens: 20, costUsd: null }]);
});

test("the outcome brings whole results and outweighs the answer so far, whichever comes first", () => {
  const end = outcome({ response: "Duet is an agent [1]." });
  const after = viewAfter(told(events), told([], end));
  const before = viewAfter(told([], end), told(events));
  for (const view of [after, before]) {
    expect(view).toMatchObject({ status: "complete", answer: "Duet is an agent [1]." });
    expect(view.steps).toHaveLength(2);
    expect(view.steps[0]?.items[0]).toMatchObject({ end: { result: "Duet is an agent, in whole." } });
    expect(view.bill).toMatchObject([
      { phase: "decide", costUsd: 0.002 },
      { phase: "answer", costUsd: null },
    ]);
  }
});

test("the list of references that ends an answer is left out where the page has those sources", () => {
  const response = "Duet [1].\n\nReferences\n\n- [1] Duet https://example.com/";
  const citations = [{ n: 1, title: "Duet", url: "https://example.com/" }];
  expect(viewAfter(told([], outcome({ response, citations }))).answer).toBe("Duet [1].");
  expect(viewAfter(told([], outcome({ response }))).answer).toBe(response);
  expect(viewAfter(told([], outcome({ response: "Duet.", citations }))).answer).toBe("Duet.");
});

test("an outcome alone shows its calls", () => {
  const [step] = viewAfter(told([], outcome({}))).steps;
  expect(step).toMatchObject({ phase: undefined, items: [{ tool: "web_search", end: { isOk: true, elapsedMs: 12 } }] });
});

test("another run's events take the place of the first one's", () => {
  const view = viewAfter(told(events), { type: "told", runId: "run-2", events: [] });
  expect(view).toMatchObject({ runId: "run-2", steps: [], answer: "", status: "running" });
});

test("a plan that waits says so, and a call that waits is shown until it was answered", () => {
  const plan = viewAfter(told([], outcome({ status: "needs_confirmation", stop_reason: "confirmation" })));
  expect(plan).toMatchObject({ status: "needs_confirmation", confirmation: { kind: "plan" } });
  const confirmation = { kind: "call" as const, tool: "rm", arguments: { path: "/" }, message: "" };
  const waits: RunChange = { type: "told", runId: "run-1", events: [], confirmation };
  expect(viewAfter(waits)).toMatchObject({ status: "needs_confirmation", confirmation: { tool: "rm" } });
  expect(viewAfter(waits, told([]))).toMatchObject({ status: "running", confirmation: undefined });
});

test("what kept the page from showing more is forgotten as soon as it shows more", () => {
  const problem: RunChange = { type: "problem", problem: { message: "The run cannot be followed.", hint: null } };
  expect(viewAfter(told(events), problem).problem).toMatchObject({ message: "The run cannot be followed." });
  expect(viewAfter(told(events), problem, told([], outcome({}))).problem).toBeUndefined();
  expect(viewAfter(problem, { type: "plain", text: "Done.", isFailed: false }).problem).toBeUndefined();
});

test("what is no event or outcome is passed over", () => {
  const newer = { type: "phase-start", phase: "dream", step: 1, model: "m", reason: "" };
  const broken = [null, "x", { type: "other" }, { type: "tool-end", callId: "1" }, { type: "plan", steps: [1] }, newer];
  expect(readEvents([...broken, ...events])).toEqual(events);
  expect(readOutcome({ ...outcome({}), citations: [{ n: 1 }] })).toBeUndefined();
  expect(readOutcome({ ...outcome({}), status: "constructor" })).toBeUndefined();
  expect(readOutcome(outcome({}))).toBeDefined();
});

function viewAfter(...changes: RunChange[]): RunView {
  return toView(changes.reduce(reducePageRun, createPageRunState()));
}

function told(told: AgentEvent[], end?: Outcome): RunChange {
  return { type: "told", runId: "run-1", events: told, outcome: end };
}

test("a turn that condenses what was said before has a name of its own", () => {
  const start = { type: "phase-start", phase: "compact", step: 0, model: "fake/decider", reason: "long" } as const;
  const view = viewAfter(told([start]));
  expect(renderStatus(view, "en")).toBe("Condensing the conversation…");
  expect(view.steps.map((step) => renderStepTitle(step).zh)).toEqual(["压缩较早的对话"]);
});

function phaseEnd(phase: "decide" | "answer", costUsd: number | null): AgentEvent {
  const usage = { inputTokens: 10, outputTokens: 5, reasoningTokens: 0, cachedTokens: 0 };
  return { type: "phase-end", phase, step: 1, model: "fake/decider", usage, elapsedMs: 100, costUsd };
}

function outcome(more: Partial<Outcome>): Outcome {
  const result = "Duet is an agent, in whole.";
  return {
    success: true,
    status: "complete",
    stop_reason: "answered",
    response: "",
    conversation_id: "conv-1",
    run_id: "run-1",
    trace_id: "",
    tool_calls: [{ tool: "web_search", arguments: { query: "Duet" }, result, ok: true, cached: true, elapsed_ms: 12 }],
    citations: [],
    meta: {
      total_tokens: 30,
      tool_calls_count: 1,
      latency_ms: 100,
      iterations: 1,
      mode: "agent",
      cost_usd: null,
      models: { function_call: bill(0.002), answer: bill(null) },
    },
    error: null,
    ...more,
  };
}

function bill(cost_usd: number | null): ModelBill {
  const tokens = { input_tokens: 10, output_tokens: 5, reasoning_tokens: 0, cached_tokens: 0 };
  return { provider: "fake", model: "m", calls: 1, ...tokens, elapsed_ms: 100, cost_usd };
}

test("notices of the outcome stand beside the early ones, each once; what is for logs is not shown", () => {
  const early = notice("store-unavailable", "Kept until this process ends.", { forLog: true });
  const end: AgentEvent = {
    type: "run-end",
    outcome: outcome({ notices: [early, notice("not-saved", "Not saved."), notice("odd", "Odd.")] }),
  };
  const view = viewAfter(told([early, notice("odd", "Odd."), ...events, notice("not-saved", "Not saved."), end]));
  expect(view.notices.map(({ message }) => message)).toEqual(["Odd.", "Not saved."]);
});

function notice(code: string, message: string, more: { forLog?: true } = {}): Extract<AgentEvent, { type: "notice" }> {
  return { type: "notice", level: "warning", code, message, ...more };
}
