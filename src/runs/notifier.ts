/** Wakes all who wait for something to happen. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or when the signal aborts. Never rejects. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  /** Of those who wait now; nobody does for most rings. */
  let next: PromiseWithResolvers<void> | undefined;
  return {
    ring() {
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
