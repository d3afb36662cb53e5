import type { AgentEvent, PhaseEnd, ToolEnd } from "../../core/events.ts";
import type { LiveRun } from "../../runs/live-run.ts";
import type { Metrics } from "./metrics.ts";

/** Something to be counted, at once or as soon as figures are kept. */
export type MetricUpdate = (figures: Metrics) => void;

/** Counts what the events of one run say, each as it comes. */
export function createRunMeter(note: (note: MetricUpdate) => void): (event: AgentEvent) => void {
  let phase: { name: string; model: string; began: number } | undefined;

  function spoken(): void {
    if (phase === undefined) return;
    const { name, model, began } = phase;
    const elapsed = (performance.now() - began) / 1000;
    phase = undefined;
    note(({ firstTokenSeconds, model: label }) =>
      firstTokenSeconds.observe({ phase: name, model: label(model) }, elapsed),
    );
  }

  return (event) => {
    switch (event.type) {
      case "phase-start":
        phase = { name: event.phase, model: event.model, began: performance.now() };
        break;
      case "reasoning-delta":
      case "thought-delta":
      case "answer-delta":
        spoken();
        break;
      case "phase-end":
        phase = undefined;
        note((figures) => notePhase(figures, event));
        break;
      case "tool-end":
        note((figures) => noteTool(figures, event));
        break;
    }
  };
}

/** Counts a run that has ended, also one that never came to an event. */
export function countRun(run: LiveRun): MetricUpdate {
  const { status, error, meta } = run.snapshot();
  // A note may wait for long, and must not keep the run.
  const { mode, latency_ms } = meta;
  const code = error?.code;
  return ({ runs, runSeconds, errors }) => {
    runs.inc({ mode, status });
    runSeconds.observe({ mode }, latency_ms / 1000);
    if (code !== undefined) errors.inc({ source: "run", code });
  };
}

function notePhase(figures: Metrics, { phase, model, usage, elapsedMs, costUsd, error }: PhaseEnd): void {
  const name = figures.model(model);
  const role = phase === "answer" ? "answer" : "function_call";
  const tokens = usage.inputTokens + usage.outputTokens;
  figures.phaseSeconds.observe({ phase, model: name }, elapsedMs / 1000);
  figures.tokens.inc({ model: name, role, direction: "input" }, usage.inputTokens);
  figures.tokens.inc({ model: name, role, direction: "output" }, usage.outputTokens);
  if (costUsd !== null) figures.cost.inc({ model: name, role }, costUsd);
  else if (tokens > 0) figures.costUnknown.inc({ model: name, role });
  if (error !== undefined && error !== "cancelled") figures.errors.inc({ source: "model", code: error });
}

function noteTool(figures: Metrics, { tool, ok, cached, elapsedMs, error }: ToolEnd): void {
  const name = error?.code === "unknown_tool" ? "unknown" : figures.tool(tool);
  // What somebody wanted so is no error.
  const isWanted = error?.code === "denied" || error?.code === "cancelled";
  const result = ok ? "ok" : isWanted ? error.code : "error";
  figures.toolCalls.inc({ tool: name, result, cached: String(cached) });
  figures.toolSeconds.observe({ tool: name }, elapsedMs / 1000);
  if (error !== undefined && !isWanted) figures.errors.inc({ source: "tool", code: error.code });
}
