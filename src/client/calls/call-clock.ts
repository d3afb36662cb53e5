import { createTimeLimit, followSignal, timeoutError } from "../../kit/async/timeout.ts";

/** The limits of one call: of silence, which progress resets, and of all, which nothing extends. */
export interface CallClock {
  /** Aborts with a `timeout` error of ours, or with the outer signal's reason. */
  readonly signal: AbortSignal;
  /** Whether it was the time that ran out. */
  readonly expired: boolean;
  /** The call is on its way: silence counts from now on. */
  begin(): void;
  /** The server has shown that it is alive. */
  reset(): void;
  /** Stops both limits while a person is asked, until the function that it gives is called. */
  pause(): () => void;
  clear(): void;
}

/** `what` names the call; both limits are in milliseconds. */
export function createCallClock(what: string, idleMs: number, totalMs: number, outer: AbortSignal): CallClock {
  const controller = new AbortController();
  let silence: NodeJS.Timeout | undefined;
  let hasBegun = false;
  let pauses = 0;
  let expired = false;
  const total = createTimeLimit(totalMs, () => expire(totalMs));
  const unfollow = [followSignal(controller, outer), followSignal(controller, total.signal)];
  let resume = (): void => {};

  function expire(ms: number): Error {
    expired ||= !controller.signal.aborted;
    return timeoutError(what, ms);
  }

  function listen(): void {
    clearTimeout(silence);
    if (hasBegun && pauses === 0) silence = setTimeout(() => controller.abort(expire(idleMs)), idleMs);
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
