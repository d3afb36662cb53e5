import { expect } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import type { Tool, ToolResult } from "../../src/core/tools/tool.ts";

/** The outcome of a run; checks that its events begin with one `run-start` and end with one `run-end`. */
export function outcomeOf(events: readonly AgentEvent[]): Outcome {
  const ends = events.filter((event) => event.type === "run-end");
  expect(ends).toHaveLength(1);
  expect(events[0]?.type).toBe("run-start");
  const last = events.at(-1);
  if (last?.type !== "run-end") throw new Error("the last event is not run-end");
  return last.outcome;
}

/** The text of all deltas of one kind. */
export function textOf(events: readonly AgentEvent[], type: "answer-delta" | "thought-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

/** The reasons of all evaluations, in order. */
export function verdictsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "evaluation" ? [`${event.verdict} ${event.reason}`] : []));
}

/** The codes of all notices, in order. */
export function noticesOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.code] : []));
}

/** A tool without arguments of its own; it takes any. */
export function makeTool(
  name: string,
  run: (args: object, signal: AbortSignal) => ToolResult | Promise<ToolResult>,
): Tool {
  return {
    name,
    description: name,
    inputSchema: { type: "object", properties: {} },
    source: "builtin",
    annotations: {},
    run: async (args, { signal }) => run(args, signal),
  };
}
