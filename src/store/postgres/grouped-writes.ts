/** Writes together what is handed over while an earlier write is under way, or within one turn of the event loop. */
export type GroupedWrites<T, R> = (item: T) => Promise<R>;

interface WaitingItem<T, R> {
  item: T;
  resolve(result: R): void;
  reject(thrown: unknown): void;
}

/** `write` returns a result for each item, in their order. One write goes on at a time. */
export function createGroupedWrites<T, R>(write: (items: readonly T[]) => Promise<readonly R[]>): GroupedWrites<T, R> {
  let waiting: WaitingItem<T, R>[] = [];
  let isGoing = false;

  async function flush(): Promise<void> {
    const group = waiting;
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
    if (waiting.length > 0) void flush();
    else isGoing = false;
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    waiting.push({ item, resolve, reject });
    if (!isGoing) {
      isGoing = true;
      setImmediate(() => void flush());
    }
    return promise;
  };
}
