import { randomUUID } from "node:crypto";
import type { Context, ContextManager, TracerProvider } from "@opentelemetry/api";
import { LRUCache } from "lru-cache";
import type { RunObserver } from "../../agent/open-run.ts";
import { type Signal, signalNames, type TelemetrySettings } from "../../config/telemetry.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { createLazy } from "../../kit/create-lazy.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { createLogs, type Logs } from "./logs.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createRunMeter } from "./run-metrics.ts";
import type { FollowedRun, RunSpans } from "./run-spans.ts";
import { createSlowFailure, type SendFailure } from "./send-failures.ts";
import { createSpanId, type SpanIds } from "./span-ids.ts";

/**
 * Creates OpenTelemetry spans and metrics for every run, and sends the log of the process. Loads no package unless somebody wants
 * one of them.
 */
export interface Telemetry {
  readonly metrics: Metrics;
  readonly logs: Pick<Logs, "isWanted" | "send">;
  /** Follows a run that begins now; undefined where nobody asks for its spans or metrics. Never rejects. */
  follow(run: FollowedRun): Promise<RunObserver | undefined>;
  /**
   * Sends what is left; the collector has `limitMs` milliseconds for it, two seconds when absent. Never rejects. Nobody is warned of
   * what fails later.
   */
  close(limitMs?: number): Promise<void>;
}

const longestFlushMs = 2000;

/** Limits how many runs are known whose log entries name their span. */
const mostKnownSpans = 1_000;

export interface TelemetryOptions {
  /** Receives a line about each signal that cannot be sent, once. */
  warn(text: Text): void;
  /** Takes known secrets out of content. What models and tools write comes without them already. */
  redact: Redact;
}

/** Opens what the settings ask for. Nothing is loaded before a run is followed. */
export function openTelemetry(settings: TelemetrySettings, { warn, redact }: TelemetryOptions): Telemetry {
  const { captureContent, signals } = settings;
  const { address } = signals.traces;
  const getInstanceId = createLazy(() => randomUUID());
  const resource = {
    /** Is made when something is sent: Node's cryptography takes 5 ms to load. */
    get "service.instance.id"() {
      return getInstanceId();
    },
    ...settings.resource,
  };
  const told = new Set<string>();
  /**
   * Holds what fails once everything ends. It is told at the end, in the order of the signals; a sender that goes on trying when its
   * time is over finds nobody to tell.
   */
  let last: SendFailure[] | undefined;
  function warnOnce(key: string, text: Text): void {
    if (!told.has(key)) warn(text);
    told.add(key);
  }
  function report(failure: SendFailure): void {
    if (last) last.push(failure);
    else warnOnce(failure.key, failure.text);
  }
  const exporter = createOnce(async () => {
    const { openExporter } = await import("./exporter.ts");
    return address && openExporter(address, resource, report);
  });
  const metrics = createMetrics(settings, resource, report);
  const spans = new LRUCache<string, SpanIds>({ max: mostKnownSpans });
  const logs = createLogs(settings, resource, { report, findSpan: (traceId) => spans.get(traceId) });

  /** Holds the runs whose events wait for the packages. */
  const behind = new Set<Promise<void>>();

  /** Spans go where the embedding program sends its own, below whatever it is doing. */
  async function joinCaller(run: FollowedRun, { provider, active }: RegisteredTelemetry): Promise<RunObserver> {
    const clock = startClock();
    const at = clock();
    const parent = active();
    const [api, { createRunSpans }] = await Promise.all([import("@opentelemetry/api"), import("./run-spans.ts")]);
    const tracer = provider.getTracer("duet");
    const made = createRunSpans({ ...run, api, tracer, parent: parent ?? api.ROOT_CONTEXT, captureContent, at });
    const traceId = made.recording ? made.traceId : undefined;
    return toObserver(traceId, createSpanUpdater(made), clock);
  }

  /**
   * Exports a run's spans without delaying it: its events wait for the packages to load, and its trace ID is chosen beforehand.
   */
  function exportOwn(run: FollowedRun): RunObserver {
    const clock = startClock();
    const at = clock();
    const ids = { traceId: run.callersTraceId ?? createRandomHex(), spanId: createSpanId() };
    spans.set(ids.traceId, ids);
    const coming = exporter.get().then((opened) => opened?.follow({ ...run, captureContent, at }, ids));
    const { update, caughtUp } = createDelayedSpanUpdater(coming);
    behind.add(caughtUp);
    void caughtUp.then(() => behind.delete(caughtUp));
    return toObserver(ids.traceId, update, clock);
  }

  function toObserver(traceId: string | undefined, update: UpdateSpans, clock: Clock): RunObserver {
    return {
      traceId,
      handle(event) {
        const at = clock();
        update((made) => made.handle(event, at));
      },
      ...(captureContent && {
        modelCalls: {
          handleRequest: ({ messages, tools }) =>
            update((made) => made.handleRequest(redactValue({ messages, tools }, redact))),
          handleTurn: (turn) => update((made) => made.handleTurn(turn)),
        },
      }),
    };
  }

  async function followSpans(run: FollowedRun): Promise<RunObserver | undefined> {
    try {
      const registered = findRegisteredTelemetry();
      if (registered) return await joinCaller(run, registered);
      for (const { problem } of Object.values(signals)) if (problem) warnOnce(problem.variable, problem.text);
      return address && exportOwn(run);
    } catch {
      // Spans of a foreign tracer that throws are not worth a run.
      return undefined;
    }
  }

  /** An exporter that is closed takes no more spans: those of a run that ended before the packages were loaded come first. */
  async function sendSpans(): Promise<void> {
    await Promise.all(behind);
    const opened = await ignoreRejection(
      exporter.current,
      "there is nothing to close, and the run that opened it has warned",
    );
    await opened?.close();
  }

  /** Sends what is left of one signal until the limit. */
  async function closeSignal(signal: Signal, send: () => Promise<void>, limitMs: number): Promise<void> {
    const limit = createWaitLimit(limitMs);
    const to = signals[signal].address;
    try {
      await waitAbortable(send(), limit.signal);
    } catch {
      if (limit.expired && to) report(createSlowFailure(signal, to, limitMs));
    } finally {
      limit.clear();
    }
  }

  return {
    metrics,
    logs,
    async follow(run) {
      const observer = await followSpans(captureContent ? { ...run, question: redact(run.question) } : run);
      if (!metrics.isWanted) return observer;
      const meter = createRunMeter(metrics.labels, metrics.record);
      return {
        ...observer,
        traceId: observer?.traceId,
        handle(event) {
          observer?.handle(event);
          meter.handle(event, performance.now());
        },
      };
    },
    async close(limitMs = longestFlushMs) {
      const failures: SendFailure[] = [];
      last = failures;
      await Promise.all([
        closeSignal("traces", sendSpans, limitMs),
        closeSignal("metrics", metrics.close, limitMs),
        closeSignal("logs", logs.close, limitMs),
      ]);
      for (const signal of signalNames)
        for (const failure of failures) if (failure.signal === signal) warnOnce(failure.key, failure.text);
    },
  };
}

/** Holds what a program that embeds Duet has set up for its own spans. */
interface RegisteredTelemetry {
  provider: TracerProvider;
  /** Returns the caller's current trace context, or undefined when it has none. */
  active(): Context | undefined;
}

/**
 * Looks where `@opentelemetry/api` 1.x keeps what was registered, whichever copy of it the program uses. Asking our own
 * copy would load it for nothing, and it refuses what a copy of an earlier version has registered.
 */
export function findRegisteredTelemetry(): RegisteredTelemetry | undefined {
  const kept: unknown = Reflect.get(globalThis, Symbol.for("opentelemetry.js.api.1"));
  if (!isRecord(kept) || !isProvider(kept.trace)) return undefined;
  const { trace, context } = kept;
  return { provider: trace, active: () => (isContextManager(context) ? context.active() : undefined) };
}

function isProvider(value: unknown): value is TracerProvider {
  return isRecord(value) && typeof value.getTracer === "function";
}

function isContextManager(value: unknown): value is ContextManager {
  return isRecord(value) && typeof value.active === "function";
}

/** Changes the spans of a run. */
type UpdateSpans = (change: (spans: RunSpans) => void) => void;

/** Creates a function that changes spans. It stops at the first error of a tracer. */
function createSpanUpdater(spans: RunSpans): UpdateSpans {
  let isBroken = false;
  return (change) => {
    if (isBroken) return;
    try {
      change(spans);
    } catch {
      isBroken = true;
    }
  };
}

/** Changes spans that may not exist yet. */
interface LaterSpans {
  update: UpdateSpans;
  /** Resolves when no change waits any more; never rejects. */
  caughtUp: Promise<void>;
}

/** Changes spans that do not exist yet. Changes are queued until then, and dropped when no spans are created. */
function createDelayedSpanUpdater(coming: Promise<RunSpans | undefined>): LaterSpans {
  let waiting: Parameters<UpdateSpans>[0][] | undefined = [];
  let update: UpdateSpans | undefined;
  const caughtUp = ignoreRejection(
    coming.then((spans) => {
      update = spans && createSpanUpdater(spans);
      for (const change of waiting ?? []) update?.(change);
    }),
    "spans must not disturb a run",
  ).finally(() => {
    waiting = undefined;
  });
  return {
    caughtUp,
    update(change) {
      if (waiting) waiting.push(change);
      else update?.(change);
    },
  };
}

/** Gives the time in milliseconds since the epoch, with fractions; it never jumps, whatever becomes of the system's clock. */
type Clock = () => number;

function startClock(): Clock {
  const origin = Date.now() - performance.now();
  return () => origin + performance.now();
}
