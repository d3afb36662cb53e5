import type { StoreConnection, StoreWork } from "../sql/connection.ts";
import type { Work } from "../sql/work.ts";

/** Writes in one transaction what is to be written within one turn of the event loop. */
export interface GroupCommit {
  /** Resolves when the work is stored, and rejects when that fails. */
  write: StoreConnection["writeGrouped"];
  /** Begins to write what waits, as far as nothing else is being written. */
  flush(): void;
}

interface WaitingWork {
  work: StoreWork<unknown>;
  result?: unknown;
  resolve(result: unknown): void;
  reject(thrown: unknown): void;
}

/**
 * One transaction goes on at a time. A work that fails is left out, and the others are written without it; where it is the commit that
 * fails, as on a full disk, each is written by itself.
 */
export function createGroupCommit(write: StoreConnection["write"]): GroupCommit {
  let waiting: WaitingWork[] = [];
  let isGoing = false;

  async function commit(): Promise<void> {
    const groups = [waiting];
    waiting = [];
    for (let group = groups.shift(); group !== undefined; group = groups.shift())
      groups.push(...(await writeGroup(group)));
    if (waiting.length > 0) setImmediate(() => void commit());
    else isGoing = false;
  }

  /** Returns the groups that are to be written once more, because all or one of this group could not be. */
  async function writeGroup(group: readonly WaitingWork[]): Promise<WaitingWork[][]> {
    if (group.length === 0) return [];
    let reached = "begin" as WaitingWork | "begin" | "commit";
    try {
      await write(function* (): Work<void> {
        for (const each of group) {
          reached = each;
          each.result = yield* each.work();
        }
        reached = "commit";
      });
    } catch (thrown) {
      if (reached === "commit" && group.length > 1) return group.map((each) => [each]);
      const failed = group.filter((each) => typeof reached === "string" || each === reached);
      for (const { reject } of failed) reject(thrown);
      return [group.filter((each) => !failed.includes(each))];
    }
    for (const { resolve, result } of group) resolve(result);
    return [];
  }

  return {
    write<T>(work: StoreWork<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      // The result is that of the work, which its own type does not say once it waits among others.
      waiting.push({ work, resolve: resolve as WaitingWork["resolve"], reject });
      if (!isGoing) {
        isGoing = true;
        setImmediate(() => void commit());
      }
      return promise;
    },
    flush: () => void commit(),
  };
}
