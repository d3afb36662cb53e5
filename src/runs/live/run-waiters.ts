/** Waits for a run: a request, a caller that knows that it continues, or the name of another process in which somebody waits. */
export type RunWaiter = object | string;

/** Holds all who wait for a run. */
export interface RunWaiters {
  readonly isEmpty: boolean;
  /** Adds a waiter. `session` is whose it is; without one, anybody who asks the same may have the run. */
  add(waiter: RunWaiter, session?: object): void;
  /** Returns true when another session than this one waits for the run. */
  isAwaitedByOthers(session: object): boolean;
  /** Returns true when the waiter was there and nobody is left. */
  remove(waiter: RunWaiter): boolean;
  /** Removes every waiter of a session. Returns true when there was one and nobody is left. */
  removeSession(session: object): boolean;
  clear(): void;
}

export function createRunWaiters(): RunWaiters {
  /** Maps each waiter to its session. */
  const waiters = new Map<RunWaiter, object | undefined>();
  return {
    get isEmpty() {
      return waiters.size === 0;
    },
    add: (waiter, session) => void waiters.set(waiter, session),
    isAwaitedByOthers: (session) => [...waiters.values()].some((other) => other !== undefined && other !== session),
    remove: (waiter) => waiters.delete(waiter) && waiters.size === 0,
    removeSession(session) {
      const own = [...waiters].filter(([waiter, of]) => waiter === session || of === session);
      for (const [waiter] of own) waiters.delete(waiter);
      return own.length > 0 && waiters.size === 0;
    },
    clear: () => waiters.clear(),
  };
}
