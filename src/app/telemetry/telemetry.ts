import type { RunObserver } from "../../agent/run-observer.ts";
import type { TelemetrySettings } from "../../config/telemetry.ts";
import { createOnce } from "../../kit/async/once.ts";
import { createTimeLimit, waitAbortable } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import { createRandomHex } from "../../kit/random.ts";
import { startClock } from "./clock.ts";
import { findRegisteredTelemetry, type RegisteredTelemetry } from "./registered-api.ts";
import type { FollowedRun } from "./run-spans.ts";
import { createDelayedEventSender, createEventSender } from "./send-events.ts";

/** OpenTelemetry spans of every run. Loads no package while nobody asks for them. */
export interface Telemetry {
  /** Makes the spans of a run that begins now; undefined where nobody asks for them. Never rejects. */
  follow(run: FollowedRun): Promise<RunObserver | undefined>;
  /** Sends what is left; the collector has `limitMs` milliseconds for it, two seconds when absent. Never rejects. */
  close(limitMs?: number): Promise<void>;
}

const longestFlushMs = 2000;

/** `warn` gets a line about spans that cannot be sent, once. */
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

  /** Runs whose events still wait for the packages. */
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

  /** A run does not wait for the packages: its events do, and its trace id is chosen beforehand. */
  function exportOwn(run: FollowedRun): RunObserver {
    const clock = startClock();
    const at = clock();
    const traceId = run.callersTraceId ?? createRandomHex();
    const coming = exporter.get().then((opened) => opened?.follow({ ...run, captureContent, at }, traceId));
    const { take, caughtUp } = createDelayedEventSender(coming, clock);
    behind.add(caughtUp);
    void caughtUp.then(() => behind.delete(caughtUp));
    return { traceId, handle: take };
  }

  /** An exporter that is closed takes no more spans: those of a run that ended before the packages were loaded come first. */
  async function sendRest(): Promise<void> {
    await Promise.all(behind);
    const opened = await exporter.begun?.catch(() => undefined);
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
      const limit = createTimeLimit(limitMs, () => new Error("late"));
      try {
        await waitAbortable(sendRest(), limit.signal);
      } catch {
        if (limit.expired && address) warnOnce(tooSlow(address.shownUrl, limitMs));
      } finally {
        limit.clear();
      }
    },
  };
}

function tooSlow(url: string, limitMs: number): Text {
  const seconds = limitMs / 1000;
  return {
    zh: `追踪未能在 ${seconds} 秒内发送到 ${url}`,
    en: `spans could not be sent to ${url} within ${seconds} s`,
  };
}
