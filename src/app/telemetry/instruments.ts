import type { Attributes, Meter } from "@opentelemetry/api";

const seconds = {
  run: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
  phase: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
  tool: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  request: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  /** Holds the bounds that the GenAI conventions recommend. */
  operation: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
};

/** Holds the bounds that the GenAI conventions recommend for tokens. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

const modelAttributes = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"] as const;

/** Adds to a counter, or records a value of a histogram. */
type Recorder<Name extends string> = (
  value: number,
  attributes: Readonly<Record<Name, string | number | undefined>>,
) => void;

/** Holds the instruments that events of runs and requests feed. */
export type Instruments = ReturnType<typeof createInstruments>;

/**
 * Creates the instruments of a meter. The same ones are sent over OTLP and shown at `/metrics`, there under Prometheus' names:
 * `duet.run.duration` in seconds is `duet_run_duration_seconds`.
 */
export function createInstruments(meter: Meter) {
  /** `names` lists the attributes of each value. */
  function createCounter<Name extends string>(
    name: string,
    description: string,
    _names: readonly Name[],
  ): Recorder<Name> {
    const counter = meter.createCounter(name, { description });
    return (value, attributes) => counter.add(value, removeUndefined(attributes));
  }
  function createHistogram<Name extends string>(
    name: string,
    description: string,
    _names: readonly Name[],
    { unit = "s", buckets }: { unit?: string; buckets: number[] },
  ): Recorder<Name> {
    const advice = { explicitBucketBoundaries: buckets };
    const histogram = meter.createHistogram(name, { description, unit, advice });
    return (value, attributes) => histogram.record(value, removeUndefined(attributes));
  }

  return {
    runs: createCounter("duet.runs", "Runs that have ended.", ["mode", "status"]),
    runSeconds: createHistogram("duet.run.duration", "Duration of a run, without waiting for people.", ["mode"], {
      buckets: seconds.run,
    }),
    phaseSeconds: createHistogram("duet.phase.duration", "Duration of a model turn.", ["phase", "model"], {
      buckets: seconds.phase,
    }),
    firstTokenSeconds: createHistogram(
      "duet.time_to_first_token",
      "Time to the first output of a model turn.",
      ["phase", "model"],
      { buckets: seconds.phase },
    ),
    tokens: createCounter("duet.tokens", "Tokens of models.", ["model", "role", "direction"]),
    cost: createCounter("duet.cost_usd", "Cost in US dollars, for models with a known price.", ["model", "role"]),
    costUnknown: createCounter("duet.cost_unknown", "Turns whose price is not known.", ["model", "role"]),
    toolCalls: createCounter("duet.tool_calls", "Calls of tools.", ["tool", "result", "cached"]),
    toolSeconds: createHistogram("duet.tool_call.duration", "Duration of a tool call.", ["tool"], {
      buckets: seconds.tool,
    }),
    errors: createCounter("duet.errors", "Errors by place and kind.", ["source", "code"]),
    requests: createCounter("duet.http.requests", "Answered requests.", ["route", "method", "status"]),
    requestSeconds: createHistogram(
      "duet.http.request.duration",
      "Time to the response headers.",
      ["route", "method"],
      { buckets: seconds.request },
    ),

    // These follow the GenAI conventions for metrics (https://github.com/open-telemetry/semantic-conventions-genai).
    operationSeconds: createHistogram(
      "gen_ai.client.operation.duration",
      "GenAI operation duration.",
      [...modelAttributes, "error.type"],
      { buckets: seconds.operation },
    ),
    firstChunkSeconds: createHistogram(
      "gen_ai.client.operation.time_to_first_chunk",
      "Time to receive the first chunk.",
      modelAttributes,
      { buckets: seconds.operation },
    ),
    tokenUsage: createHistogram(
      "gen_ai.client.token.usage",
      "Number of input and output tokens used.",
      [...modelAttributes, "gen_ai.token.type"],
      { unit: "{token}", buckets: tokenBuckets },
    ),
    agentSeconds: createHistogram(
      "gen_ai.invoke_agent.duration",
      "Duration of a run of the agent.",
      ["gen_ai.agent.name", "error.type"],
      { buckets: seconds.operation },
    ),
    toolOperationSeconds: createHistogram(
      "gen_ai.execute_tool.duration",
      "Duration of a tool execution.",
      ["gen_ai.tool.name", "error.type"],
      { buckets: seconds.operation },
    ),
  };
}

/** An attribute without a value would be a label of its own. */
function removeUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Is a value that is read when somebody asks for the metrics. */
export interface Level {
  readonly name: string;
  readonly description: string;
  /** Is the unit by UCUM. It is absent for a plain number. */
  readonly unit?: string;
  /** Is true for a value that only grows. */
  readonly isTotal?: boolean;
  /** Reads the value, or one for each set of attributes. */
  read(): number | readonly (readonly [value: number, attributes: Attributes])[];
}

/** Has the meter read these values whenever somebody asks for the metrics. */
export function addLevels(meter: Meter, levels: readonly Level[]): void {
  for (const { name, description, unit, isTotal = false, read } of levels) {
    const options = { description, ...(unit !== undefined && { unit }) };
    const level = isTotal ? meter.createObservableCounter(name, options) : meter.createObservableGauge(name, options);
    level.addCallback((result) => {
      const value = read();
      if (typeof value === "number") result.observe(value);
      else for (const [each, attributes] of value) result.observe(each, attributes);
    });
  }
}
