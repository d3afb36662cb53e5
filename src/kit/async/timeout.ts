import { DuetError } from "../errors.ts";
import type { Text } from "../locale.ts";
import type { Mutable } from "../mutable.ts";

/** Waits `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(finish, ms);
    function finish(): void {
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Waits for `work` or for the signal, whichever is first; the work itself is not stopped. */
export function waitAbortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  // By hand: a race makes twice as many promises.
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const settle = (): void => signal.removeEventListener("abort", stop);
    // Its failure is handled also when nobody waits for the work any more.
    work.then(
      (result) => {
        settle();
        resolve(result);
      },
      (thrown) => {
        settle();
        reject(thrown);
      },
    );
  });
}

/** Waits for `work` for that long at most, in milliseconds, and goes on without it then; rejects with the signal's reason. */
export async function waitPatiently(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  const limit = createWaitLimit(ms, signal);
  try {
    await waitAbortable(work, limit.signal);
  } catch (thrown) {
    if (!limit.expired) throw thrown;
  } finally {
    limit.clear();
  }
}

/** Limits a wait. Clear it when the wait is over, so that no timer is left behind. */
export interface TimeLimit {
  /** Aborts with the outer signal's reason, or with the limit's own; with neither once it is cleared. */
  readonly signal: AbortSignal;
  /** Is true when this limit has ended the wait. */
  readonly expired: boolean;
  /** Returns what is left of the time, in milliseconds; once it is cleared, what was left then. */
  getLeftMs(): number;
  /** Stops the clock until the function that it gives is called. One pause at a time. */
  pause(): () => void;
  /** Counts time that was spent elsewhere, in milliseconds. */
  spend(ms: number): void;
  /** Adds time, in milliseconds. A limit that has ended the wait gets none. */
  extend(ms: number): void;
  /** Ends the wait now, with this reason: another limit of the same wait is over. */
  end(reason: Error): void;
  clear(): void;
}

/**
 * Limits a wait to `ms` milliseconds, within an outer signal where there is one. `beforeEnd` may hold the end up: it resolves to the
 * milliseconds that are added, 0 to end the wait; undefined ends it at once.
 */
export function createTimeLimit(
  ms: number,
  reason: () => Error,
  outer?: AbortSignal,
  beforeEnd?: () => Promise<number> | undefined,
): TimeLimit {
  const controller = new AbortController();
  let left = ms;
  let timer: NodeJS.Timeout | undefined;
  let startedAt = 0;
  let isOver = false;
  let isHeldUp = false;
  function end(because: Error): void {
    limit.expired ||= !controller.signal.aborted;
    controller.abort(because);
  }
  function expire(): void {
    if (isHeldUp) return;
    const holding = beforeEnd?.();
    if (holding === undefined) {
      end(reason());
      return;
    }
    isHeldUp = true;
    timer = undefined;
    left = 0;
    void holding
      .catch(() => 0)
      .then((more) => {
        isHeldUp = false;
        left += more;
        if (left <= 0 && !isOver) end(reason());
        else if (!controller.signal.aborted) start();
      });
  }
  function start(): void {
    if (isOver || timer !== undefined) return;
    startedAt = performance.now();
    // Time that is already over must not let anything begin.
    if (left <= 0) expire();
    else timer = setTimeout(expire, left);
  }
  function stop(): void {
    if (timer === undefined) return;
    left = limit.getLeftMs();
    clearTimeout(timer);
    timer = undefined;
  }
  const unfollow = followSignal(controller, outer);
  const limit: Mutable<TimeLimit> = {
    signal: controller.signal,
    expired: false,
    getLeftMs: () => (timer === undefined ? left : Math.max(0, left - (performance.now() - startedAt))),
    pause() {
      if (timer === undefined) return () => {};
      stop();
      return start;
    },
    spend(ms) {
      const isRunning = timer !== undefined;
      stop();
      left = Math.max(0, left - ms);
      if (isOver) return;
      if (left <= 0) expire();
      else if (isRunning) start();
    },
    extend(more) {
      const isRunning = timer !== undefined;
      stop();
      left += more;
      if (isRunning) start();
    },
    end,
    clear() {
      isOver = true;
      stop();
      unfollow();
    },
  };
  start();
  return limit;
}

/** Creates a limit whose end is no error for anybody: whoever waits looks at `expired`, or continues with what there is. */
export function createWaitLimit(ms: number, outer?: AbortSignal): TimeLimit {
  return createTimeLimit(ms, () => new Error(`the wait of ${Math.round(ms)} ms is over`), outer);
}

/**
 * Aborts the controller with the outer signal's reason as soon as that aborts, until the function that it gives is
 * called. `AbortSignal.any` does the same for ten times the cost: it keeps weak references and searches them.
 */
export function followSignal(controller: AbortController, outer: AbortSignal | undefined): () => void {
  if (outer === undefined) return () => {};
  const stop = (): void => controller.abort(outer.reason);
  if (outer.aborted) stop();
  else outer.addEventListener("abort", stop, { once: true });
  return () => outer.removeEventListener("abort", stop);
}

/** Returns the error with which a wait that timed out aborts. `what` names the wait in both languages. */
export function timeoutError(what: Text | string, ms: number): DuetError {
  const { zh, en } = typeof what === "string" ? { zh: what, en: what } : what;
  const seconds = Math.round(ms / 10) / 100;
  const gap = /\p{Script=Han}$/u.test(zh) ? "" : " ";
  return new DuetError({
    code: "timeout",
    text: { zh: `${zh}${gap}超时（${seconds} 秒）`, en: `${en} timed out after ${seconds} s` },
    hint: { zh: "请稍后再试，或增大时间限制。", en: "Try again later, or raise the time limit." },
    retryable: true,
  });
}

/** Returns a handler that gives `instead` where the signal has ended the wait, and throws any other error on. */
export function ignoreAbort<T>(signal: AbortSignal | undefined, instead: T): (thrown: unknown) => T {
  return (thrown) => {
    if (signal?.aborted) return instead;
    throw thrown;
  };
}
