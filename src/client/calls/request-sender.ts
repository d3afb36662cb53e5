import type { ServerSettings } from "../../config/server-settings.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { isLost } from "../connection-errors.ts";
import type { ServerLifecycle } from "../lifecycle/server-lifecycle.ts";
import type { CallOptions, Session } from "../lifecycle/session.ts";
import { getTotalLimitMs } from "../limits.ts";
import type { Redact } from "../redact.ts";
import { toCallError } from "../server-errors.ts";
import { type CallClock, createCallClock } from "./call-clock.ts";
import type { Reply } from "./call-reply.ts";
import type { RawResult } from "./content.ts";
import { createRateLimiter } from "./rate-limit.ts";

/** What somebody who calls brings along. */
export type CallerOptions = Omit<CallOptions, "pause">;

/** One request on its way. */
export interface OutgoingCall {
  /** What is asked, in a word. */
  what: string;
  /** Whether it may be sent a second time, when the server was lost meanwhile. */
  maySendAgain: boolean;
  /** Why it may not be sent, if it may not. */
  refuse?(signal: AbortSignal): Promise<Reply | undefined>;
  ask(session: Session, calling: CallOptions): Promise<RawResult>;
}

/** Sends requests to one server: in their turn, within their time, and once more where that is safe. */
export interface RequestSender {
  /** Rejects with a `DuetError`, or at once with the signal's reason. */
  send(options: CallerOptions, sending: OutgoingCall): Promise<Reply>;
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

  async function send(clock: CallClock, options: CallerOptions, sending: OutgoingCall): Promise<Reply> {
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
      if (clock.expired || !isLost(thrown)) throw toCallError(reason, { settings, redact });
      await attempt.waitForExit();
      lifecycle.connectionLost(attempt, thrown);
      if (!sending.maySendAgain) throw toCallError(thrown, attempt.failureContext);
      return send(clock, options, { ...sending, maySendAgain: false });
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
