import type { StoreConnection, StoreWork } from "../sql/connection.ts";
import type { Work } from "../sql/work.ts";

/** Writes in one transaction what is to be written within one turn of the event loop. */
export type GroupCommit = <T>(work: StoreWork<T>) => Promise<T>;

interface WaitingWork {
  work: StoreWork<unknown>;
  result?: unknown;
  resolve(result: unknown): void;
  reject(thrown: unknown): void;
}

/**
 * Each promise resolves when its work is stored, and rejects when that fails: a work that throws is left out, and the others are written
 * without it. One transaction goes on at a time.
 */
export function createGroupCommit(write: StoreConnection["write"]): GroupCommit {
  let waiting: WaitingWork[] = [];
  let isGoing = false;

  async function commit(): Promise<void> {
    let group = waiting;
    waiting = [];
    while (group.length > 0) group = await writeGroup(group);
    if (waiting.length > 0) setImmediate(() => void commit());
    else isGoing = false;
  }

  /** Returns the works that are to be written once more, because another one of the group has thrown. */
  async function writeGroup(group: readonly WaitingWork[]): Promise<WaitingWork[]> {
    let current: WaitingWork | undefined;
    try {
      await write(function* (): Work<void> {
        for (const each of group) {
          current = each;
          each.result = yield* each.work();
        }
        current = undefined;
      });
    } catch (thrown) {
      const failed = group.filter((each) => current === undefined || each === current);
      for (const { reject } of failed) reject(thrown);
      return group.filter((each) => !failed.includes(each));
    }
    for (const { resolve, result } of group) resolve(result);
    return [];
  }

  return <T>(work: () => Work<T>) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The result is that of the work, which its own type does not say once it waits among others.
    waiting.push({ work, resolve: resolve as WaitingWork["resolve"], reject });
    if (!isGoing) {
      isGoing = true;
      setImmediate(() => void commit());
    }
    return promise;
  };
}
