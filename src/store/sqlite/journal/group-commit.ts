import type { StoreConnection, StoreWork } from "../../sql/connection.ts";
import type { Work } from "../../sql/work.ts";

/** Writes in one transaction what is to be written within one turn of the event loop. */
export type GroupCommit = <T>(work: StoreWork<T>) => Promise<T>;

interface WaitingWork {
  work: StoreWork<unknown>;
  result?: unknown;
  resolve(result: unknown): void;
  reject(thrown: unknown): void;
}

/** Each promise resolves when its work is stored, and rejects when the transaction fails. One transaction goes on at a time. */
export function createGroupCommit(connection: Pick<StoreConnection, "write">): GroupCommit {
  let waiting: WaitingWork[] = [];
  let isGoing = false;

  async function commit(): Promise<void> {
    const group = waiting;
    waiting = [];
    try {
      await connection.write(() => writeGroup(group));
      for (const { resolve, result } of group) resolve(result);
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
    if (waiting.length > 0) setImmediate(() => void commit());
    else isGoing = false;
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

/** Does the works of a group one after the other, and notes their results. */
function* writeGroup(group: readonly WaitingWork[]): Work<void> {
  for (const each of group) each.result = yield* each.work();
}
