/** Wakes all who wait for something to happen. */
export interface Notifier {
  notify(): void;
  /** Resolves at the next notification, or when the signal aborts. Never rejects. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createNotifier(): Notifier {
  /** Belongs to the current waiters. Most notifications have none. */
  let next: PromiseWithResolvers<void> | undefined;
  return {
    notify() {
      next?.resolve();
      next = undefined;
    },
    async wait(signal) {
      if (signal.aborted) return;
      const stopped = Promise.withResolvers<void>();
      const stop = (): void => stopped.resolve();
      signal.addEventListener("abort", stop, { once: true });
      next ??= Promise.withResolvers();
      await Promise.race([next.promise, stopped.promise]);
      signal.removeEventListener("abort", stop);
    },
  };
}
