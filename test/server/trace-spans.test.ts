import { expect, test } from "vitest";
import type { AgentTrace, TracePhase, TraceStep } from "../../src/core/run/trace.ts";
import { toSpans } from "../../src/server/operator/trace-spans.ts";
import { finishedRun } from "../store/runs.ts";

const at = (ms: number) => new Date(Date.parse("2026-11-26T12:00:00Z") + ms).toISOString();

const turn = (model: string, elapsed_ms: number, began?: number): TracePhase => ({
  ...{ phase: "decide", step: 1, model, elapsed_ms, cost_usd: null },
  ...{ input_tokens: 30, output_tokens: 4, reasoning_tokens: 0, cached_tokens: 0 },
  ...(began !== undefined && { timestamp: at(began) }),
});

const call = (tool: string, phase: number, began: number, error?: string): TraceStep => ({
  ...{ step: 1, phase, action: { type: "action", tool, args: {} }, observation: "" },
  ...{ elapsed_ms: 100, timestamp: at(began), error },
});

function trace(phases: TracePhase[], steps: TraceStep[]): AgentTrace {
  const { trace: kept } = finishedRun("conv-1", "One?", "Yes.");
  return { ...kept, started_at: at(0), total_ms: 900, phases, steps };
}

const show = (told: AgentTrace) =>
  toSpans(told).spans.map(
    ({ name, start_ms, duration_ms, ok }) => `${name} ${start_ms}+${duration_ms}${ok ? "" : " failed"}`,
  );

test("turns and calls stand where they began, calls of one turn side by side; a failed one says so", () => {
  const phases = [turn("m/a", 200, 10), { ...turn("m/b", 300, 500), failed: true }];
  const steps = [call("two", 1, 230), call("one", 1, 220, "no"), call("three", 1, 230)];
  expect(show(trace(phases, steps))).toEqual([
    "m/a 10+200",
    "one 220+100 failed",
    "two 230+100",
    "three 230+100",
    "m/b 500+300 failed",
  ]);
});

test("in a trace of an earlier version, a turn begins where what came before it has ended", () => {
  expect(show(trace([turn("m/a", 200), turn("m/b", 300)], [call("one", 1, 250)]))).toEqual([
    "m/a 0+200",
    "one 250+100",
    "m/b 350+300",
  ]);
});

test("of many, the first 500 are shown and the others counted", () => {
  const { spans, left_out, total_ms } = toSpans(
    trace(
      [],
      Array.from({ length: 502 }, (_, n) => call("t", 0, n * 10)),
    ),
  );
  expect([spans.length, left_out, total_ms]).toEqual([500, 2, 5110]);
});
