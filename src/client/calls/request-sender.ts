import type { ServerSettings } from "../../config/config.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { sleep, waitAbortable } from "../../kit/async/timeout.ts";
import { isLost } from "../connection-errors.ts";
import type { ServerLifecycle } from "../lifecycle/server-lifecycle.ts";
import type { CallOptions, Session } from "../lifecycle/session.ts";
import { getTotalLimitMs } from "../limits.ts";
import type { Redact } from "../redact.ts";
import { toCallError } from "../server-errors.ts";
import { type CallClock, createCallClock } from "./call-clock.ts";
import type { CallReply } from "./call-reply.ts";
import type { RawResult } from "./tool-result.ts";

export type CallerOptions = Omit<CallOptions, "pause">;

export interface OutgoingCall {
  /** Names the request in a word. */
  what: string;
  /** Is true when the request may be sent more than once: a second time here, and by whoever sent it. */
  isRepeatable: boolean;
  /** Returns the reply that prevents sending, or undefined when the request may be sent. */
  refuse?(signal: AbortSignal): Promise<CallReply | undefined>;
  ask(session: Session, calling: CallOptions): Promise<RawResult>;
}

/** Sends requests to one server: in their turn, within their time, and once more where that is safe. */
export interface RequestSender {
  /** Rejects with a `DuetError`, or at once with the signal's reason. */
  send(options: CallerOptions, sending: OutgoingCall): Promise<CallReply>;
  /** Lets no request begin for so long, in milliseconds: the server has asked for fewer. */
  rest(ms: number): void;
}

export function createRequestSender(
  settings: ServerSettings,
  redact: Redact,
  lifecycle: ServerLifecycle,
): RequestSender {
  const { name, timeoutMs } = settings;
  const pace = createRateLimiter(settings);

  async function send(clock: CallClock, options: CallerOptions, sending: OutgoingCall, times = 1): Promise<CallReply> {
    const live = await lifecycle.live(clock.signal);
    if ("reply" in live) return live;
    const refusal = await sending.refuse?.(clock.signal);
    if (refusal) return refusal;
    const { session, attempt } = live;
    clock.begin();
    try {
      const result = await waitAbortable(sending.ask(session, withClock(options, clock)), clock.signal);
      return { reply: "result", result };
    } catch (thrown) {
      options.signal.throwIfAborted();
      const reason: unknown = clock.expired ? clock.signal.reason : thrown;
      const sent = { times, isRepeatable: sending.isRepeatable };
      if (clock.expired || !isLost(thrown)) throw toCallError(reason, { settings, redact }, sent);
      await attempt.waitForExit();
      lifecycle.connectionLost(attempt, thrown);
      if (!sending.isRepeatable || times > 1)
        throw toCallError(lifecycle.closedError ?? thrown, attempt.failureContext, sent);
      return send(clock, options, sending, times + 1);
    }
  }

  return {
    async send(options, sending) {
      const clock = createCallClock(`${name} ${sending.what}`, timeoutMs, getTotalLimitMs(timeoutMs), options.signal);
      try {
        return await pace.run(() => send(clock, options, sending), clock.signal);
      } finally {
        clock.clear();
      }
    },
    rest: (ms) => pace.rest(ms),
  };
}

/** Progress shows that a call is alive, and a question stops its clock. */
function withClock(options: CallerOptions, clock: CallClock): CallOptions {
  return {
    ...options,
    signal: clock.signal,
    pause: clock.pause,
    onProgress(progress) {
      clock.reset();
      options.onProgress(progress);
    },
  };
}

/** Keeps calls within the limits of a server. */
export interface RateLimiter {
  /** Waits its turn and runs the work, or rejects when the signal aborts first. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Lets no work begin for so long, in milliseconds, and then less than before: the server has asked for that. */
  rest(ms: number): void;
}

/**
 * Is the minimum pause between two calls of a server that has asked for fewer, in milliseconds: Amap limits a personal key to
 * three calls a second.
 */
const slowedMs = 350;

/** Runs up to `maxConcurrent` calls at once, in order of arrival, and starts them at least `1 / callsPerSecond` seconds apart. */
export function createRateLimiter(limits: Pick<ServerSettings, "maxConcurrent" | "callsPerSecond">): RateLimiter {
  let intervalMs = limits.callsPerSecond === undefined ? 0 : 1000 / limits.callsPerSecond;
  const semaphore = createSemaphore(limits.maxConcurrent ?? Number.POSITIVE_INFINITY);
  const starts = createSemaphore(1);
  let nextStart = 0;

  /** Counts from when the last call really started: one that was late is not made up for. */
  async function start(signal: AbortSignal): Promise<void> {
    await starts.acquire(signal);
    try {
      // A timer may be up to a millisecond early.
      for (let left = getWaitMs(); left > 0; left = getWaitMs()) await sleep(Math.ceil(left), signal);
      nextStart = performance.now() + intervalMs;
    } finally {
      starts.release();
    }
  }

  function getWaitMs(): number {
    return nextStart - performance.now();
  }

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      await semaphore.acquire(signal);
      try {
        if (intervalMs > 0 || getWaitMs() > 0) await start(signal);
        return await work();
      } finally {
        semaphore.release();
      }
    },
    rest(ms) {
      intervalMs = Math.max(intervalMs, slowedMs);
      nextStart = Math.max(nextStart, performance.now() + ms);
    },
  };
}
