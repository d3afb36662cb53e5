/** Writes together what is handed over while an earlier write is under way, or within one turn of the event loop. */
export type GroupedWrites<T, R> = (item: T) => Promise<R>;

interface WaitingItem<T, R> {
  item: T;
  resolve(result: R): void;
  reject(thrown: unknown): void;
}

/**
 * `write` returns a result for each item, in their order. One write goes on at a time, and begins `paceMs` milliseconds after the one
 * before at the earliest.
 */
export function createGroupedWrites<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  { paceMs = 0 } = {},
): GroupedWrites<T, R> {
  let waiting: WaitingItem<T, R>[] = [];
  let isGoing = false;
  let begunAt = Number.NEGATIVE_INFINITY;

  /** Others may be handed over in this turn of the event loop, or before the next write is due. */
  function schedule(): void {
    const leftMs = begunAt + paceMs - performance.now();
    if (leftMs > 0) setTimeout(() => void flush(), leftMs);
    else setImmediate(() => void flush());
  }

  async function flush(): Promise<void> {
    const group = waiting;
    begunAt = performance.now();
    waiting = [];
    try {
      const results = await write(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error("a write without a result"));
        else resolve(result);
      });
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
    if (waiting.length > 0 && paceMs === 0) void flush();
    else if (waiting.length > 0) schedule();
    else isGoing = false;
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    waiting.push({ item, resolve, reject });
    if (!isGoing) {
      isGoing = true;
      schedule();
    }
    return promise;
  };
}
