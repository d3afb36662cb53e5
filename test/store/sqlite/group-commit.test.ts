import { expect, test } from "vitest";
import type { StoreWork } from "../../../src/store/sql/connection.ts";
import { lock, type Work } from "../../../src/store/sql/work.ts";
import { createGroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { runWork } from "../../../src/store/sqlite/prepare-statements.ts";

/** A work that waits for one lock. */
function work<T>(value: T): () => Work<T> {
  return function* () {
    yield* lock("one");
    return value;
  };
}

const runNow = async <T>(given: StoreWork<T>): Promise<T> => runWork(given(), new Map());

/** Writes all of these at once, and returns the result or the message of each. */
async function settle(promises: Promise<number>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((each) => (each.status === "fulfilled" ? each.value : each.reason.message));
}

test("what is written within one turn of the event loop is one transaction, and each learns whether it is stored", async () => {
  let transactions = 0;
  const { write } = createGroupCommit(async (given) => {
    transactions += 1;
    if (transactions === 2) throw new Error("locked");
    return runNow(given);
  });
  expect(await settle([1, 2, 3].map((n) => write(work(n))))).toEqual([1, 2, 3]);
  expect(transactions).toBe(1);
  expect(await settle([4, 5].map((n) => write(work(n))))).toEqual(["locked", "locked"]);
  expect([await write(work(6)), transactions]).toEqual([6, 3]);
});

test("a work that fails is left out of what is written together, and the others are stored", async () => {
  const written: number[][] = [];
  const { write } = createGroupCommit(async (given) => {
    written.push([]);
    return runNow(given);
  });
  const store = (n: number) =>
    write(function* () {
      if (n % 2 === 0) throw new Error(`no ${n}`);
      yield* lock("one");
      written.at(-1)?.push(n);
      return n;
    });
  expect(await settle([1, 2, 3, 4, 5].map(store))).toEqual([1, "no 2", 3, "no 4", 5]);
  expect(written).toEqual([[1], [1, 3], [1, 3, 5]]);
});

test("where the commit fails each work is written by itself", async () => {
  const written: number[][] = [];
  const { write } = createGroupCommit(async (given) => {
    const sizes: number[] = [];
    written.push(sizes);
    const result = await runNow(given);
    if (sizes.reduce((sum, size) => sum + size, 0) > 3) throw new Error("disk full");
    return result;
  });
  const store = (size: number) =>
    write(function* () {
      yield* lock("one");
      written.at(-1)?.push(size);
      return size;
    });
  expect(await settle([1, 5, 3].map(store))).toEqual([1, "disk full", 3]);
  expect(written).toEqual([[1, 5, 3], [1], [5], [3]]);
});
