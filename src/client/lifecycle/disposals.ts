/** Tracks what is being disposed of, so that a close can wait for all of it. */
export interface Disposals {
  /** Begins the disposal; the `dispose` of the resource never rejects. */
  dispose(resource: { dispose(): Promise<void> }): void;
  /** Settles when all disposals that have begun are over; never rejects. */
  waitForAll(): Promise<void>;
}

export function createDisposals(): Disposals {
  const pending = new Set<Promise<void>>();
  return {
    dispose(resource) {
      const disposal = resource.dispose().then(() => {
        pending.delete(disposal);
      });
      pending.add(disposal);
    },
    async waitForAll() {
      await Promise.all(pending);
    },
  };
}
