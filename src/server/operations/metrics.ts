import { type CollectFunction, Counter, Gauge, Histogram, Registry } from "prom-client";
import { createBoundedLabel } from "./bounded-label.ts";
import { addProcessMetrics } from "./process-metrics.ts";

/** What is there at the moment of asking. */
export interface Gauges {
  runs: number;
  streams: number;
}

/** All that `/metrics` shows. Names and units as Prometheus wants them: seconds, `_total` for what only grows. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Tools and models that are told apart; those of later ones are added up. */
const mostTools = 200;
const mostModels = 50;

const seconds = {
  run: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  phase: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
  tool: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
};

/** In a registry of its own; `close` ends what it measures. */
export function createMetrics(levels: Gauges) {
  const registry = new Registry();
  const registers = [registry];

  function counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers });
  }
  function histogram<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers });
  }
  function gauge(name: string, help: string, collect: CollectFunction<Gauge>): void {
    new Gauge({ name, help, registers, collect });
  }

  gauge("duet_runs_active", "Runs that go on.", function (this: Gauge) {
    this.set(levels.runs);
  });
  gauge("duet_http_streams_open", "Event streams that are open.", function (this: Gauge) {
    this.set(levels.streams);
  });
  return {
    registry,
    close: addProcessMetrics(registry),
    tool: createBoundedLabel(mostTools),
    model: createBoundedLabel(mostModels),
    runs: counter("duet_runs_total", "Runs that have ended.", ["mode", "status"]),
    runSeconds: histogram("duet_run_duration_seconds", "Time of a run, without that of people.", ["mode"], seconds.run),
    phaseSeconds: histogram(
      "duet_phase_duration_seconds",
      "Time of a model's turn.",
      ["phase", "model"],
      seconds.phase,
    ),
    firstTokenSeconds: histogram(
      "duet_time_to_first_token_seconds",
      "Time until a model's turn says something.",
      ["phase", "model"],
      seconds.phase,
    ),
    tokens: counter("duet_tokens_total", "Tokens of models.", ["model", "role", "direction"]),
    cost: counter("duet_cost_usd_total", "US dollars, as far as prices are known.", ["model", "role"]),
    costUnknown: counter("duet_cost_unknown_total", "Turns whose price is not known.", ["model", "role"]),
    toolCalls: counter("duet_tool_calls_total", "Calls of tools.", ["tool", "result", "cached"]),
    toolSeconds: histogram("duet_tool_call_duration_seconds", "Time of a tool's call.", ["tool"], seconds.tool),
    errors: counter("duet_errors_total", "What went wrong, and where.", ["source", "code"]),
    requests: counter("duet_http_requests_total", "Requests that were answered.", ["route", "method", "status"]),
    requestSeconds: histogram(
      "duet_http_request_duration_seconds",
      "Time until the head of an answer.",
      ["route", "method"],
      seconds.request,
    ),
  };
}
