import { DuetError } from "./errors.ts";

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
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The reason with which a wait that ran out of time aborts. */
export function timeoutError(what: string, ms: number): DuetError {
  return new DuetError({
    code: "timeout",
    text: { zh: `${what} 超时（${ms / 1000} 秒）`, en: `${what} timed out after ${ms / 1000} s` },
    hint: { zh: "请稍后再试，或增大时间限制。", en: "Try again later, or raise the time limit." },
    retryable: true,
  });
}
