import { createTimeLimit, followSignal, timeoutError } from "../../kit/async/timeout.ts";

/** Enforces two limits of one call: on silence, which progress resets, and on the total time, which nothing extends. */
export interface CallClock {
  /** Aborts with a `timeout` error of ours, or with the outer signal's reason. */
  readonly signal: AbortSignal;
  /** Is true when the call was ended by a time limit. */
  readonly expired: boolean;
  /** Starts the limit on silence when the call has been sent. */
  begin(): void;
  /** Restarts the limit on silence after a sign of life from the server. */
  reset(): void;
  /** Stops both limits while a person is asked, until the function that it gives is called. */
  pause(): () => void;
  clear(): void;
}

/** Takes the name of the call in `what`; both limits are in milliseconds. */
export function createCallClock(what: string, idleMs: number, totalMs: number, outer: AbortSignal): CallClock {
  const controller = new AbortController();
  let silence: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let pauses = 0;
  let expired = false;
  const total = createTimeLimit(totalMs, () => expireCall(totalMs));
  const unfollow = [followSignal(controller, outer), followSignal(controller, total.signal)];
  let resume = (): void => {};

  function expireCall(ms: number): Error {
    expired ||= !controller.signal.aborted;
    return timeoutError(what, ms);
  }

  function listen(): void {
    clearTimeout(silence);
    if (hasBegun && pauses === 0) silence = setTimeout(() => controller.abort(expireCall(idleMs)), idleMs);
  }

  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
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
      for (const end of unfollow) end();
    },
  };
}
