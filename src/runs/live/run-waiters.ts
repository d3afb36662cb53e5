/** Waits for a run: a request, a caller that knows that it continues, or the name of another process in which somebody waits. */
export type RunWaiter = object | string;

/** Is whose a waiter is. Two with one ID are the same session, which several connections or processes may serve. */
export interface WaitingSession {
  readonly sessionId?: string | undefined;
}

/** Holds all who wait for a run. */
export interface RunWaiters {
  /** Returns true when nobody waits. */
  isEmpty(): boolean;
  /** Adds a waiter. `session` is whose it is; without one, anybody who asks the same may have the run. */
  add(waiter: RunWaiter, session?: WaitingSession): void;
  /** Returns true when another session than this one waits for the run. */
  isAwaitedByOthers(session: WaitingSession): boolean;
  /** Returns the session that waits for the run, where it is one alone. */
  findOnlySession(): WaitingSession | undefined;
  /** Returns true when the waiter was there and nobody is left. */
  remove(waiter: RunWaiter): boolean;
  /** Removes every waiter of a session. Returns true when there was one and nobody is left. */
  removeSession(session: object): boolean;
  clear(): void;
}

export function createRunWaiters(): RunWaiters {
  /** Maps each waiter to its session. */
  const waiters = new Map<RunWaiter, WaitingSession | undefined>();
  return {
    isEmpty: () => waiters.size === 0,
    add: (waiter, session) => void waiters.set(waiter, session),
    isAwaitedByOthers: (session) =>
      [...waiters.values()].some((other) => other !== undefined && !isSame(other, session)),
    findOnlySession() {
      const [first, ...others] = [...waiters.values()].filter((session) => session !== undefined);
      return first && others.every((other) => isSame(other, first)) ? first : undefined;
    },
    remove: (waiter) => waiters.delete(waiter) && waiters.size === 0,
    removeSession(session) {
      const own = [...waiters].filter(([waiter, of]) => waiter === session || of === session);
      for (const [waiter] of own) waiters.delete(waiter);
      return own.length > 0 && waiters.size === 0;
    },
    clear: () => waiters.clear(),
  };
}

function isSame(one: WaitingSession, other: WaitingSession): boolean {
  return one === other || (one.sessionId !== undefined && one.sessionId === other.sessionId);
}
