import { monitorEventLoopDelay } from "node:perf_hooks";
import { type CollectFunction, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { StoreStatus } from "../../app/conversations/store-monitor.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Holds current values, which are read when metrics are requested. */
export interface Gauges {
  runs: number;
  streams: number;
  readStore(): StoreStatus;
}

/** Holds everything that `/metrics` shows. Names and units follow Prometheus: seconds, and `_total` for values that only grow. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Limits how many tools and models are counted separately. Later ones are added up. */
const mostTools = 200;
const mostModels = 50;

const seconds = {
  run: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  phase: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
  tool: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
};

/** Creates the metrics in a registry of their own. `close` stops the measuring. */
export function createMetrics(levels: Gauges) {
  const registry = new Registry();
  const registers = [registry];

  function createCounter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers });
  }
  function createHistogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers });
  }
  function createGauge(name: string, help: string, collect: CollectFunction<Gauge>): void {
    new Gauge({ name, help, registers, collect });
  }

  createGauge("duet_runs_active", "Runs in progress.", function (this: Gauge) {
    this.set(levels.runs);
  });
  createGauge("duet_http_streams_open", "Open event streams.", function (this: Gauge) {
    this.set(levels.streams);
  });
  addStoreMetrics(registry, levels.readStore);
  return {
    registry,
    close: addProcessMetrics(registry),
    tool: createBoundedLabel(mostTools),
    model: createBoundedLabel(mostModels),
    runs: createCounter("duet_runs_total", "Runs that have ended.", ["mode", "status"]),
    runSeconds: createHistogram(
      "duet_run_duration_seconds",
      "Duration of a run, without waiting for people.",
      ["mode"],
      seconds.run,
    ),
    phaseSeconds: createHistogram(
      "duet_phase_duration_seconds",
      "Duration of a model turn.",
      ["phase", "model"],
      seconds.phase,
    ),
    firstTokenSeconds: createHistogram(
      "duet_time_to_first_token_seconds",
      "Time to the first output of a model turn.",
      ["phase", "model"],
      seconds.phase,
    ),
    tokens: createCounter("duet_tokens_total", "Tokens of models.", ["model", "role", "direction"]),
    cost: createCounter("duet_cost_usd_total", "Cost in US dollars, for models with a known price.", ["model", "role"]),
    costUnknown: createCounter("duet_cost_unknown_total", "Turns whose price is not known.", ["model", "role"]),
    toolCalls: createCounter("duet_tool_calls_total", "Calls of tools.", ["tool", "result", "cached"]),
    toolSeconds: createHistogram("duet_tool_call_duration_seconds", "Duration of a tool call.", ["tool"], seconds.tool),
    errors: createCounter("duet_errors_total", "Errors by place and kind.", ["source", "code"]),
    requests: createCounter("duet_http_requests_total", "Answered requests.", ["route", "method", "status"]),
    requestSeconds: createHistogram(
      "duet_http_request_duration_seconds",
      "Time to the response headers.",
      ["route", "method"],
      seconds.request,
    ),
  };
}

const storeStates: readonly StoreStatus["state"][] = ["ok", "memory", "failing"];

/** Adds what the operator must know of the store of conversations. */
function addStoreMetrics(registry: Registry, readStatus: () => StoreStatus): void {
  const registers = [registry];
  new Gauge({
    name: "duet_store_state",
    help: "1 for the state of the store of conversations: ok, memory (kept until the process ends), failing.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const state of storeStates) this.set({ state }, readStatus().state === state ? 1 : 0);
    },
  });
  new Gauge({
    name: "duet_store_unsaved_runs",
    help: "Runs that wait to be saved.",
    registers,
    collect() {
      this.set(readStatus().waiting);
    },
  });
  new Counter({
    name: "duet_store_failures_total",
    help: "Failed uses of the store, by kind.",
    labelNames: ["kind"],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of readStatus().failures) this.inc({ kind }, count);
    },
  });
  for (const [name, help, key] of [
    ["duet_store_saved_late_total", "Runs that were saved some time after their end.", "savedLate"],
    ["duet_store_lost_runs_total", "Runs that could not be saved and are given up.", "lost"],
  ] as const)
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(readStatus()[key]);
      },
    });
}

/** Is how often the event loop's delay is sampled, in milliseconds. */
const resolution = 20;

/**
 * Adds the process's own metrics under the names that prom-client uses, so that dashboards recognise them. Its collector is not
 * used, because what it starts can never be stopped. Returns a function that stops the measuring.
 */
export function addProcessMetrics(registry: Registry): () => void {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();

  function createGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  // The sampler's own pause is in what it finds.
  const toLagSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolution / 1000) || 0;
  createGauge("nodejs_eventloop_lag_mean_seconds", "Mean delay of the event loop.", () => toLagSeconds(delay.mean));
  createGauge("nodejs_eventloop_lag_p50_seconds", "Half of the delays are shorter.", () =>
    toLagSeconds(delay.percentile(50)),
  );
  createGauge("nodejs_eventloop_lag_p99_seconds", "99 in 100 delays are shorter.", () =>
    toLagSeconds(delay.percentile(99)),
  );
  createGauge("nodejs_eventloop_lag_max_seconds", "Longest delay since the last scrape.", () => {
    const longest = toLagSeconds(delay.max);
    delay.reset();
    return longest;
  });
  createGauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  createGauge("nodejs_heap_size_used_bytes", "Memory of the heap in use.", () => process.memoryUsage().heapUsed);
  createGauge(
    "process_start_time_seconds",
    "Start time of the process, since 1970.",
    () => performance.timeOrigin / 1000,
  );
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, user and system.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  return () => void delay.disable();
}

const longest = 100;

/**
 * Limits the names in a label to `most`, because each is a time series of its own and names come from servers. A later name
 * becomes `other`.
 */
export function createBoundedLabel(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    const label = sanitizeLine(name).slice(0, longest);
    if (known.has(label)) return label;
    if (known.size >= most) return "other";
    known.add(label);
    return label;
  };
}
