import type { StoreConnection, StoreWork } from "../../sql/connection.ts";
import type { Work } from "../../sql/work.ts";

/** Writes in one transaction what is to be written within one turn of the event loop. */
export type GroupCommit = <T>(work: StoreWork<T>) => Promise<T>;

interface WaitingWork {
  work: StoreWork<void>;
  resolve(): void;
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
      await connection.write(function* () {
        for (const { work } of group) yield* work();
      });
      for (const { resolve } of group) resolve();
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
    if (waiting.length > 0) setImmediate(() => void commit());
    else isGoing = false;
  }

  return <T>(work: () => Work<T>) => {
    let result: T;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.push({
      *work() {
        result = yield* work();
      },
      resolve: () => resolve(result),
      reject,
    });
    if (!isGoing) {
      isGoing = true;
      setImmediate(() => void commit());
    }
    return promise;
  };
}
