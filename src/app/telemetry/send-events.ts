import type { AgentEvent } from "../../core/events.ts";
import type { Clock } from "./clock.ts";
import type { RunSpans } from "./run-spans.ts";

/** Tells spans of events with the time at which each came. A tracer that throws is left alone from then on. */
export function createEventSender(
  spans: Pick<RunSpans, "handle">,
  clock: Clock,
): (event: AgentEvent, at?: number) => void {
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

/** Spans that are told of events once they are there. */
export interface LaterSpans {
  take(event: AgentEvent): void;
  /** Resolves when no event waits any more; never rejects. */
  caughtUp: Promise<void>;
}

/** The same for spans that are not there yet: until then events wait. Where none come, events are dropped. */
export function createDelayedEventSender(coming: Promise<RunSpans | undefined>, clock: Clock): LaterSpans {
  let waiting: { event: AgentEvent; at: number }[] | undefined = [];
  let tell: ReturnType<typeof createEventSender> | undefined;
  const caughtUp = coming
    .then((spans) => {
      tell = spans && createEventSender(spans, clock);
      for (const { event, at } of waiting ?? []) tell?.(event, at);
    })
    .catch(() => {})
    .finally(() => {
      waiting = undefined;
    });
  return {
    caughtUp,
    take(event) {
      if (waiting) waiting.push({ event, at: clock() });
      else tell?.(event);
    },
  };
}
