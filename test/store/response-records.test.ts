import { expect, test } from "vitest";
import { longestResponseMs } from "../../src/core/store/response-records.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { testResponseRecords } from "./contract/response-records.ts";
import { localStores, openStore, storeFile } from "./stores.ts";

for (const [name, open] of localStores) testResponseRecords(name, open);

test("a record that stands in no conversation is removed after its time", async () => {
  const start = Date.now();
  let now = start;
  const store = await createSqliteStore(await storeFile(), { now: () => now });
  await store.responses?.put({ id: "resp_old", body: "old" });
  await store.responses?.put({ id: "resp_kept", body: "kept", conversationId: "conv-1" });
  now = start + longestResponseMs + 1;
  await store.responses?.put({ id: "resp_new", body: "new" });
  expect(await store.responses?.get("resp_old")).toBeUndefined();
  expect(await store.responses?.get("resp_kept")).toMatchObject({ body: "kept" });
  await store.close();
});

test("a record that another process has removed from the disk is not there again once it is replaced", async () => {
  const file = await storeFile();
  const [here, there] = [await openStore(file), await openStore(file)];
  await here.responses?.put({ id: "resp_1", body: "begun" });
  expect(await there.responses?.replace({ id: "resp_1", body: "more" })).toBe(true);
  expect(await there.responses?.remove("resp_1")).toBe(true);
  expect(await here.responses?.has("resp_1")).toBe(false);
  expect(await here.responses?.replace({ id: "resp_1", body: "over" })).toBe(false);
  expect(await here.responses?.get("resp_1")).toBeUndefined();
  await here.of("anna").responses?.put({ id: "resp_2", body: "hers" });
  expect(await here.of("ben").responses?.replace({ id: "resp_2", body: "taken" })).toBe(false);
});
