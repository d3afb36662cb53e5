/** Remembers whose calls a server has had lately, over all its connections: it may log about one that has ended. */
export interface RecentOwners {
  /** Is true once a call came whose caller is told apart from others. */
  readonly areToldApart: boolean;
  /** Remembers that a call has begun. Without an owner it is the operator's, or anybody's where callers are not told apart. */
  noteBegin(owner: string | undefined): void;
  /** Remembers that it has ended. */
  noteEnd(owner: string | undefined): void;
  /** Returns the owners of the calls that have ended within the last minute. */
  list(): (string | undefined)[];
}

/** Is how long a server may still log about a call that has ended, in milliseconds. */
const rememberedMs = 60_000;

export function createRecentOwners(now: () => number = () => performance.now()): RecentOwners {
  /** Maps owners to when their last calls are forgotten, the first to be forgotten first. */
  const until = new Map<string | undefined, number>();
  let areToldApart = false;

  function forgetOld(): void {
    for (const [owner, end] of until) {
      if (end > now()) return;
      until.delete(owner);
    }
  }

  return {
    get areToldApart() {
      return areToldApart;
    },
    noteBegin(owner) {
      areToldApart ||= owner !== undefined;
    },
    noteEnd(owner) {
      until.delete(owner);
      until.set(owner, now() + rememberedMs);
      forgetOld();
    },
    list() {
      forgetOld();
      return [...until.keys()];
    },
  };
}
