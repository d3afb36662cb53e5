import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent, PhaseEnd } from "../../../src/core/run/events.ts";
import { reduceRun } from "../../../src/core/run/reduce-run.ts";
import { createRunState } from "../../../src/core/run/run-state.ts";
import { eventSchema } from "../../../src/core/schemas/events-schema.ts";
import { outcomeSchema } from "../../../src/core/schemas/outcome-schema.ts";
import { createRunSnapshot } from "../../../src/runs/live/run-snapshot.ts";
import { makeTool } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const usage = { inputTokens: 10, outputTokens: 5, reasoningTokens: 0, cachedTokens: 0 };
const start: AgentEvent = {
  type: "run-start",
  runId: "run-1",
  traceId: "",
  conversationId: "conv-1",
  mode: "agent",
  models: { functionCall: "fake/cheap", answer: "fake/strong" },
  toolCount: 1,
};
const phaseStart: AgentEvent = { type: "phase-start", phase: "decide", step: 1, model: "fake/a/b", reason: "" };
const phaseEnd: PhaseEnd = {
  ...{ type: "phase-end", phase: "decide", step: 1, model: "fake/a/b", usage, elapsedMs: 1.4, costUsd: 0.5 },
};
const callStart: AgentEvent = { type: "tool-start", callId: "1", step: 1, tool: "look", arguments: { at: "left" } };
const callEnd: AgentEvent = {
  ...{ type: "tool-end", callId: "1", step: 1, tool: "look", ok: true, cached: false, preview: "a wall", elapsedMs: 3 },
};

/** The state after these events, each of which comes at the time of its index. */
function reduceAll(events: readonly AgentEvent[], limits: Parameters<typeof createRunState>[0] = {}) {
  const state = createRunState(limits);
  const changed = events.map((event, index) => reduceRun(state, event, index));
  return { state, changed };
}

async function recordedRun(): Promise<AgentEvent[]> {
  const calls = ["left", "right"].map((at) => ({ id: at, name: "look", input: { at } }));
  const models = {
    functionCall: scriptedModel([{ reasoning: "Hm.", text: "Both sides.", calls, tokens: 20 }, "Enough."], "cheap"),
    answer: scriptedModel([{ text: "There is nothing.", reasoning: "So be it." }], "strong"),
  };
  return runAll({ models, tools: [makeTool("look", () => ({ ok: true, text: "nothing" }))] });
}

test("every event of a recorded run fits the schema of events", async () => {
  for (const event of await recordedRun()) expect(() => eventSchema.parse(event)).not.toThrow();
});

test("the snapshot of a recorded run fits the schema of outcomes after each of its events", async () => {
  const events = await recordedRun();
  const snapshot = createRunSnapshot({ runId: "run-1", conversationId: "", mode: "agent" });
  for (const event of events) {
    snapshot.handle(event);
    expect(() => outcomeSchema.strict().parse(snapshot.outcome())).not.toThrow();
  }
  const last = events.at(-1);
  if (last?.type !== "run-end") throw new Error("the run has no end");
  const { response, citations, conversation_id, trace_id, meta, tool_calls } = snapshot.outcome();
  const { models, total_tokens, iterations, tool_calls_count } = meta;
  expect({ response, citations, conversation_id, trace_id }).toEqual({
    response: last.outcome.response,
    citations: last.outcome.citations,
    conversation_id: last.outcome.conversation_id,
    trace_id: last.outcome.trace_id,
  });
  expect({ total_tokens, iterations, tool_calls_count }).toEqual({
    total_tokens: last.outcome.meta.total_tokens,
    iterations: last.outcome.meta.iterations,
    tool_calls_count: last.outcome.meta.tool_calls_count,
  });
  expect(models.function_call).toMatchObject({ provider: "fake", model: "cheap", calls: 2 });
  expect(tool_calls.map(({ ok, arguments: args }) => [ok, args])).toEqual([
    [true, { at: "left" }],
    [true, { at: "right" }],
  ]);
});

test("events in any order, with any of them missing or doubled, give a snapshot that fits the schema", async () => {
  const events = await recordedRun();
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 40 }), (some) => {
      const snapshot = createRunSnapshot({ runId: "run-1", conversationId: "", mode: "agent" });
      for (const event of some) snapshot.handle(event);
      outcomeSchema.strict().parse(snapshot.outcome());
    }),
  );
});

test("each event returns the part of the state that it changed", () => {
  const { state, changed } = reduceAll([start, phaseStart, phaseEnd, callStart, callEnd]);
  const [turn] = state.turns;
  const [call] = state.calls;
  expect(changed.map((item) => item?.kind)).toEqual(["run", "turn", "turn", "call", "call"]);
  expect([changed[2] === turn, changed[4] === call]).toEqual([true, true]);
  expect(turn).toMatchObject({ startedAt: 1, end: { elapsedMs: 1.4 }, entries: [call] });
  expect(call).toMatchObject({ startedAt: 3, turnNumber: 1, start: { tool: "look" }, end: { preview: "a wall" } });
  expect(state.endedCalls).toEqual([call]);
});

test("an event of a call that never started changes nothing", () => {
  const { state, changed } = reduceAll([start, callEnd, { type: "tool-progress", callId: "1", message: "" }]);
  expect(changed.slice(1)).toEqual([undefined, undefined]);
  expect([state.calls, state.endedCalls, state.turns]).toEqual([[], [], []]);
});

test("a thought ends where a call starts, the answer begins or the turn ends", () => {
  const thinks = (text: string): AgentEvent => ({ type: "thought-delta", text });
  const { state } = reduceAll([
    phaseStart,
    { type: "reasoning-delta", phase: "decide", text: "Hm" },
    thinks("I "),
    thinks("look."),
    callStart,
    thinks("\n"),
    thinks("More."),
    { type: "answer-delta", text: " " },
    thinks(" Still."),
    { type: "answer-delta", text: "It is" },
    thinks("Cut"),
    { ...phaseEnd, error: "network" },
  ]);
  const thoughts = state.turns.flatMap(({ entries }) => entries).filter((entry) => entry.kind === "thought");
  expect(thoughts.map(({ parts }) => parts.map(({ kind, text }) => [kind, text]))).toEqual([
    [
      ["reasoning", "Hm"],
      ["thought", "I look."],
    ],
    [["thought", "\nMore. Still."]],
    [["thought", "Cut"]],
  ]);
  // The first thought starts with its turn, any other with its first word.
  expect(thoughts.map(({ startedAt, endedAt, isFailed }) => [startedAt, endedAt, isFailed])).toEqual([
    [0, 4, false],
    [6, 9, false],
    [10, 11, true],
  ]);
  expect(thoughts[1]?.parts[0]?.blank).toBe(1);
});

test("a thought keeps its beginning up to the limit and counts the rest, and never half a character", () => {
  const thinks = (text: string): AgentEvent => ({ type: "thought-delta", text });
  const { state } = reduceAll([thinks("ab"), thinks("c😀"), thinks("d")], { longestThought: 4 });
  expect(state.thought?.parts).toEqual([{ kind: "thought", text: "abc", blank: 0 }]);
  expect(state.thought).toMatchObject({ size: 3, leftOut: 3 });
});

test("no more notes are kept than the limit allows", () => {
  const note: AgentEvent = { type: "notice", level: "info", code: "x", message: "x" };
  const { state, changed } = reduceAll([note, note, phaseStart, note, note], { mostNotes: 3 });
  expect(state.earlyNotices).toHaveLength(2);
  expect(state.turns[0]?.entries).toHaveLength(1);
  expect(changed[4]).toMatchObject({ kind: "notice", turnNumber: 1, at: 4 });
});

test("a sum in which one price is not known is not known", () => {
  const { state } = reduceAll([phaseEnd, { ...phaseEnd, costUsd: null }, phaseEnd]);
  expect(state.bills.function_call).toMatchObject({ provider: "fake", model: "a/b", calls: 3, cost_usd: null });
  expect(state.bills.function_call).toMatchObject({ input_tokens: 30, output_tokens: 15, elapsed_ms: 3 });
});

test("a long run costs as much time for each piece as a short one", () => {
  const piece: AgentEvent = { type: "answer-delta", text: "word " };
  const state = createRunState();
  const turns = 50_000;
  for (let count = 0; count < turns; count++)
    for (const event of [phaseStart, piece, callStart, callEnd, phaseEnd]) reduceRun(state, event, count);
  // The lists are the same objects that grow; a copy of each at each event would not end within the time limit of a test.
  expect([state.turns.length, state.calls.length, state.answer.text.length]).toEqual([turns, turns, 5 * turns]);
});

test("a draft is there until it ends, and a reader who missed its end has it no longer once what it was comes", () => {
  const begins: AgentEvent = { type: "draft-start", draft: 1, step: 1 };
  const writes = (text: string): AgentEvent => ({ type: "draft-delta", draft: 1, text });
  const { state } = reduceAll([start, phaseStart, begins, writes("It "), writes("is")]);
  expect(state.draft).toMatchObject({ turn: state.turns[0], text: "It is" });
  const version = state.turns[0]?.version ?? 0;
  reduceRun(state, { type: "draft-end", draft: 1, kept: "thought" }, 9);
  expect([state.draft, state.thought, (state.turns[0]?.version ?? 0) > version]).toEqual([undefined, undefined, true]);
  for (const next of [
    { type: "answer-delta", text: "It is." },
    { type: "thought-delta", text: "It" },
    phaseEnd,
  ] as const)
    expect(reduceAll([start, phaseStart, writes("It is"), next]).state.draft).toBeUndefined();
});
