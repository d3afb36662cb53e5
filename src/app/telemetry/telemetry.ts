import type { Context, ContextManager, TracerProvider } from "@opentelemetry/api";
import type { RunObserver } from "../../agent/open-run.ts";
import type { TelemetrySettings } from "../../config/telemetry.ts";
import type { AgentEvent } from "../../core/events.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createWaitLimit, waitAbortable } from "../../kit/async/timeout.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { FollowedRun, RunSpans } from "./run-spans.ts";

/** Creates OpenTelemetry spans for every run. Loads no package unless spans are wanted. */
export interface Telemetry {
  /** Makes the spans of a run that begins now; undefined where nobody asks for them. Never rejects. */
  follow(run: FollowedRun): Promise<RunObserver | undefined>;
  /** Sends what is left; the collector has `limitMs` milliseconds for it, two seconds when absent. Never rejects. */
  close(limitMs?: number): Promise<void>;
}

const longestFlushMs = 2000;

/** `warn` receives a line about spans that cannot be sent, once. */
export function openTelemetry(settings: TelemetrySettings, warn: (text: Text) => void): Telemetry {
  const { exporter: address, problem, captureContent } = settings;
  let hasWarned = false;
  function warnOnce(text: Text): void {
    if (!hasWarned) warn(text);
    hasWarned = true;
  }
  const exporter = createOnce(async () => {
    const { openExporter } = await import("./exporter.ts");
    return address && openExporter(address, settings, warnOnce);
  });

  /** Holds the runs whose events wait for the packages. */
  const behind = new Set<Promise<void>>();

  /** Spans go where the embedding program sends its own, below whatever it is doing. */
  async function joinCaller(run: FollowedRun, { provider, active }: RegisteredTelemetry): Promise<RunObserver> {
    const clock = startClock();
    const at = clock();
    const parent = active();
    const [api, { createRunSpans }] = await Promise.all([import("@opentelemetry/api"), import("./run-spans.ts")]);
    const tracer = provider.getTracer("duet");
    const spans = createRunSpans({ ...run, api, tracer, parent: parent ?? api.ROOT_CONTEXT, captureContent, at });
    return { traceId: spans.recording ? spans.traceId : undefined, handle: createEventSender(spans, clock) };
  }

  /**
   * Exports a run's spans without delaying it: its events wait for the packages to load, and its trace ID is chosen beforehand.
   */
  function exportOwn(run: FollowedRun): RunObserver {
    const clock = startClock();
    const at = clock();
    const traceId = run.callersTraceId ?? createRandomHex();
    const coming = exporter.get().then((opened) => opened?.follow({ ...run, captureContent, at }, traceId));
    const { handle, caughtUp } = createDelayedEventSender(coming, clock);
    behind.add(caughtUp);
    void caughtUp.then(() => behind.delete(caughtUp));
    return { traceId, handle };
  }

  /** An exporter that is closed takes no more spans: those of a run that ended before the packages were loaded come first. */
  async function sendRest(): Promise<void> {
    await Promise.all(behind);
    const opened = await ignoreRejection(
      exporter.current,
      "there is nothing to close, and the run that opened it has warned",
    );
    await opened?.close();
  }

  return {
    async follow(run) {
      try {
        const registered = findRegisteredTelemetry();
        if (registered) return await joinCaller(run, registered);
        if (problem) warnOnce(problem);
        return address && exportOwn(run);
      } catch {
        // Spans of a foreign tracer that throws are not worth a run.
        return undefined;
      }
    },
    async close(limitMs = longestFlushMs) {
      const limit = createWaitLimit(limitMs);
      try {
        await waitAbortable(sendRest(), limit.signal);
      } catch {
        if (limit.expired && address) warnOnce(describeSlowSending(address.shownUrl, limitMs));
      } finally {
        limit.clear();
      }
    },
  };
}

function describeSlowSending(url: string, limitMs: number): Text {
  const seconds = limitMs / 1000;
  return {
    zh: `追踪未能在 ${seconds} 秒内发送到 ${url}`,
    en: `spans could not be sent to ${url} within ${seconds} s`,
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

/** Creates a function that passes events to spans, each with its time. It stops at the first error of a tracer. */
function createEventSender(spans: Pick<RunSpans, "handle">, clock: Clock): (event: AgentEvent, at?: number) => void {
  let isBroken = false;
  return (event, at = clock()) => {
    if (isBroken) return;
    try {
      spans.handle(event, at);
    } catch {
      isBroken = true;
    }
  };
}

/** Receives events for spans that may not exist yet. */
export interface LaterSpans {
  handle(event: AgentEvent): void;
  /** Resolves when no event waits any more; never rejects. */
  caughtUp: Promise<void>;
}

/** Sends events to spans that do not exist yet. Events are queued until then, and dropped when no spans are created. */
export function createDelayedEventSender(coming: Promise<RunSpans | undefined>, clock: Clock): LaterSpans {
  let waiting: { event: AgentEvent; at: number }[] | undefined = [];
  let sendEvent: ReturnType<typeof createEventSender> | undefined;
  const caughtUp = ignoreRejection(
    coming.then((spans) => {
      sendEvent = spans && createEventSender(spans, clock);
      for (const { event, at } of waiting ?? []) sendEvent?.(event, at);
    }),
    "spans must not disturb a run",
  ).finally(() => {
    waiting = undefined;
  });
  return {
    caughtUp,
    handle(event) {
      if (waiting) waiting.push({ event, at: clock() });
      else sendEvent?.(event);
    },
  };
}

/** Gives the time in milliseconds since the epoch, with fractions; it never jumps, whatever becomes of the system's clock. */
type Clock = () => number;

function startClock(): Clock {
  const origin = Date.now() - performance.now();
  return () => origin + performance.now();
}
