/** Wakes all who wait for something to happen. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or when the signal aborts. Never rejects. */
  wait(signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let next = Promise.withResolvers<void>();
  return {
    ring() {
      next.resolve();
      next = Promise.withResolvers();
    },
    async wait(signal) {
      if (signal.aborted) return;
      const stopped = Promise.withResolvers<void>();
      const stop = (): void => stopped.resolve();
      signal.addEventListener("abort", stop, { once: true });
      await Promise.race([next.promise, stopped.promise]);
      signal.removeEventListener("abort", stop);
    },
  };
}
