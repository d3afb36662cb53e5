import type { ServerSettings } from "../../config/config.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { createTimeLimit, sleep, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { getRetryAfterMs, getStatus, isLost } from "../connection-errors.ts";
import type { CallerSessions, LeasedSession } from "../lifecycle/caller-sessions.ts";
import type { ServerLifecycle } from "../lifecycle/server-lifecycle.ts";
import type { CallOptions, Session } from "../lifecycle/session.ts";
import { getTotalLimitMs, longestPauseMs } from "../limits.ts";
import { toCallError } from "../server-errors.ts";
import type { CallReply } from "./call-reply.ts";
import type { RawResult } from "./tool-result.ts";

export type CallerOptions = Omit<CallOptions, "pause">;

export interface OutgoingCall {
  /** Names the request in a word. */
  what: string;
  /** Is true when the request may be sent more than once: a second time here, and by whoever sent it. */
  isRepeatable: boolean;
  /** Is true when the request may change something at the server. Every tool call counts, whatever the tool says of itself. */
  canTakeEffect: boolean;
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

/** Holds a call on its way, however often it is sent. */
interface CallInProgress {
  clock: CallClock;
  options: CallerOptions;
  sending: OutgoingCall;
  /** Counts how often the call has been sent, with this time, but for a time when it was refused for now. */
  times: number;
  /** Is true when it was refused for now before. */
  wasRefused: boolean;
}

export interface RequestSenderOptions {
  redact: Redact;
  lifecycle: Pick<ServerLifecycle, "closedError">;
  sessions: Pick<CallerSessions, "acquire">;
}

export function createRequestSender(
  settings: ServerSettings,
  { redact, lifecycle, sessions }: RequestSenderOptions,
): RequestSender {
  const { name, timeoutMs } = settings;
  const pace = createRateLimiter(settings);

  async function send(call: CallInProgress): Promise<CallReply> {
    const { clock, options, sending } = call;
    const leased = await sessions.acquire(options.elicit, clock.signal);
    if ("reply" in leased) return leased;
    try {
      const refusal = await sending.refuse?.(clock.signal);
      return refusal ?? (await sendOn(leased, call));
    } finally {
      leased.release();
    }
  }

  async function sendOn(leased: LeasedSession, call: CallInProgress): Promise<CallReply> {
    const { clock, options, sending, times } = call;
    const { session, attempt } = leased;
    clock.begin();
    try {
      const result = await waitAbortable(sending.ask(session, withPauses(options, clock, pace)), clock.signal);
      return { reply: "result", result };
    } catch (thrown) {
      options.signal.throwIfAborted();
      const reason: unknown = clock.hasExpired() ? clock.signal.reason : thrown;
      const { isRepeatable, canTakeEffect } = sending;
      const sent = { times, isRepeatable, canTakeEffect };
      const pauseMs = clock.hasExpired() || call.wasRefused ? undefined : getPauseMs(thrown, sending);
      if (pauseMs !== undefined) {
        await waitAsAsked(pauseMs, clock, getStatus(thrown));
        return await sendOn(leased, { ...call, wasRefused: true });
      }
      if (clock.hasExpired() || !isLost(thrown)) throw toCallError(reason, { settings, redact }, sent);
      await attempt.waitForExit();
      leased.markLost(thrown);
      if (!isRepeatable || times > 1) throw toCallError(lifecycle.closedError ?? thrown, attempt.failureContext, sent);
      return await send({ ...call, times: times + 1 });
    }
  }

  /** Waits as long as the server has asked for, which is no silence of the server, and then for its turn among the others. */
  async function waitAsAsked(ms: number, clock: CallClock, status: number | undefined): Promise<void> {
    if (status === 429) pace.postpone(ms);
    const resume = clock.pause();
    await sleep(ms, clock.signal).finally(resume);
    await pace.waitForTurn(clock.signal);
  }

  return {
    async send(options, sending) {
      const clock = createCallClock(`${name} ${sending.what}`, timeoutMs, getTotalLimitMs(timeoutMs), options.signal);
      try {
        return await pace.run(() => send({ clock, options, sending, times: 1, wasRefused: false }), clock.signal);
      } finally {
        clock.clear();
      }
    },
    rest: (ms) => pace.rest(ms),
  };
}

/**
 * Returns how long to wait before a call is sent again that was refused for now; undefined where it is not, or only after a longer wait.
 * With 429 nothing was done; a gateway may answer 503 for a server that has begun.
 */
function getPauseMs(thrown: unknown, { isRepeatable }: OutgoingCall): number | undefined {
  const asked = getRetryAfterMs(thrown);
  const canSend = isRepeatable || getStatus(thrown) === 429;
  return canSend && asked !== undefined && asked <= longestPauseMs ? asked : undefined;
}

/** Progress shows that a call is alive. A request of its server stops its clock; while a person thinks, it is in no other's way. */
function withPauses(
  options: CallerOptions,
  clock: CallClock,
  pace: Pick<RateLimiter, "releaseWhileWaiting">,
): CallOptions {
  let questions = 0;
  let reacquire = (): void => {};
  return {
    ...options,
    signal: clock.signal,
    pause({ asksPerson }) {
      const resume = clock.pause();
      if (!asksPerson) return resume;
      questions += 1;
      if (questions === 1) reacquire = pace.releaseWhileWaiting();
      return () => {
        questions -= 1;
        if (questions === 0) reacquire();
        resume();
      };
    },
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
  /** Lets other work begin in place of one that waits for a person, until the returned function is called. */
  releaseWhileWaiting(): () => void;
  /** Waits until work that has begun may go on after a refusal: all of it that waits goes on one after the other. */
  waitForTurn(signal: AbortSignal): Promise<void>;
  /** Lets no work begin for so long, in milliseconds: the server has asked for that. */
  postpone(ms: number): void;
  /** Does so, and lets less work begin than before from then on. */
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
  async function start(signal: AbortSignal, gapMs = intervalMs): Promise<void> {
    await starts.acquire(signal);
    try {
      // A timer may be up to a millisecond early.
      for (let left = getWaitMs(); left > 0; left = getWaitMs()) await sleep(Math.ceil(left), signal);
      nextStart = performance.now() + gapMs;
    } finally {
      starts.release();
    }
  }

  function getWaitMs(): number {
    return nextStart - performance.now();
  }

  function postpone(ms: number): void {
    nextStart = Math.max(nextStart, performance.now() + ms);
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
    releaseWhileWaiting() {
      semaphore.release();
      return semaphore.acquireBeyondLimit;
    },
    waitForTurn: (signal) => start(signal, Math.max(intervalMs, slowedMs)),
    postpone,
    rest(ms) {
      intervalMs = Math.max(intervalMs, slowedMs);
      postpone(ms);
    },
  };
}

/** Enforces two limits of one call: on silence, which progress resets, and on the total time, which nothing extends. */
interface CallClock {
  /** Aborts with a `timeout` error of ours, or with the outer signal's reason. */
  readonly signal: AbortSignal;
  /** Is true when the call was ended by a time limit. */
  hasExpired(): boolean;
  /** Starts the limit on silence when the call has been sent. */
  begin(): void;
  /** Restarts the limit on silence after a sign of life from the server. */
  reset(): void;
  /** Stops both limits, while a person is asked or as long as the server wants to be left alone, until the function that it gives is called. */
  pause(): () => void;
  clear(): void;
}

/** Takes the name of the call in `what`; both limits are in milliseconds. */
export function createCallClock(what: string, idleMs: number, totalMs: number, outer: AbortSignal): CallClock {
  let silence: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let pauses = 0;
  const total = createTimeLimit(totalMs, () => timeoutError(what, totalMs), outer);
  let resume = (): void => {};

  function listen(): void {
    clearTimeout(silence);
    if (hasBegun && pauses === 0) silence = setTimeout(() => total.end(timeoutError(what, idleMs)), idleMs);
  }

  return {
    signal: total.signal,
    hasExpired: () => total.expired,
    begin() {
      hasBegun = true;
      listen();
    },
    reset() {
      silence?.refresh();
    },
    pause() {
      pauses += 1;
      clearTimeout(silence);
      silence = undefined;
      if (pauses === 1) resume = total.pause();
      return () => {
        pauses -= 1;
        if (pauses > 0) return;
        resume();
        listen();
      };
    },
    clear() {
      clearTimeout(silence);
      silence = undefined;
      hasBegun = false;
      total.clear();
    },
  };
}
