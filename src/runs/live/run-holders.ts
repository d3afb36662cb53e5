/** Needs a run: a request that waits for it, a caller that knows that it continues, or the name of another process in which somebody waits. */
export type RunHolder = object | string;

/** Holds who needs a run. */
export interface RunHolders {
  readonly isEmpty: boolean;
  /** Adds a holder. `session` is whose it is; without one, anybody who asks the same may have the run. */
  add(holder: RunHolder, session?: object): void;
  /** Returns true when another session than this one needs the run. */
  isHeldByOthers(session: object): boolean;
  /** Returns true when the holder was there and nobody is left. */
  remove(holder: RunHolder): boolean;
  /** Removes every holder of a session. Returns true when there was one and nobody is left. */
  removeSession(session: object): boolean;
  clear(): void;
}

export function createRunHolders(): RunHolders {
  /** Maps each holder to its session. */
  const holders = new Map<RunHolder, object | undefined>();
  return {
    get isEmpty() {
      return holders.size === 0;
    },
    add: (holder, session) => void holders.set(holder, session),
    isHeldByOthers: (session) => [...holders.values()].some((other) => other !== undefined && other !== session),
    remove: (holder) => holders.delete(holder) && holders.size === 0,
    removeSession(session) {
      const own = [...holders].filter(([holder, of]) => holder === session || of === session);
      for (const [holder] of own) holders.delete(holder);
      return own.length > 0 && holders.size === 0;
    },
    clear: () => holders.clear(),
  };
}
