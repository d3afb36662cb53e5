import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "../../../src/store/errors/store-error.ts";
import { openReadOnlyStore } from "../../../src/store/sqlite/read-only-store.ts";
import { finishedRun, page } from "../runs.ts";
import { olderFile, openStore, storeFile } from "../stores.ts";

function openToRead(file: string) {
  const problem = new StoreError(Object.assign(new Error("read-only"), { code: "EROFS" }), file);
  const store = openReadOnlyStore(file, problem);
  onTestFinished(() => store.close());
  return { store, problem };
}

test("a store that is only read shows what another process writes, and refuses every change of its own", async () => {
  const file = await storeFile();
  const writer = await openStore(file);
  const { sources } = await writer.create("first");
  await sources.number([page("https://a.example")]);
  await writer.append(finishedRun("first", "Q.", "A [1]."));
  const { store, problem } = openToRead(file);
  expect(await store.list({ limit: 9, offset: 0 })).toMatchObject([{ id: "first", turns: 1 }]);
  const loaded = await store.load("first");
  expect(loaded?.turns).toMatchObject([{ question: "Q.", answer: "A [1]." }]);
  expect(loaded?.sources.all()).toHaveLength(1);
  await writer.append(finishedRun("second", "Q2.", "A2."));
  expect((await store.trace())?.question).toBe("Q2.");
  await expect(store.append(finishedRun("third", "Q.", "A."))).rejects.toBe(problem);
  await expect(store.remove("first")).rejects.toBe(problem);
  expect(await writer.list({ limit: 9, offset: 0 })).toHaveLength(2);
});

test("a store of an earlier version, which reading would have to change, says what to do with it", async () => {
  const file = await olderFile(2);
  expect(() => openToRead(file)).toThrow(
    /is read-only and has version 2: it must be updated to \d+ before it can be read/,
  );
  const updated = await openStore(file);
  const { store } = openToRead(file);
  expect(await store.list({ limit: 9, offset: 0 })).toEqual(await updated.list({ limit: 9, offset: 0 }));
});
