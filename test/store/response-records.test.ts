import { describe, expect, test } from "vitest";
import { longestResponseMs } from "../../src/core/store/response-records.ts";
import type { OperatorStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

const kinds: [string, () => Promise<OperatorStore>][] = [
  ["in memory", async () => createMemoryStore()],
  ["on disk", async () => openStore(await storeFile())],
];

describe.each(kinds)("records of responses %s", (_, open) => {
  test("come back to their owner alone, and the last one under an ID stays", async () => {
    const store = await open();
    const anna = store.of("anna").responses;
    const ben = store.of("ben").responses;
    const long = "words ".repeat(2000);
    await anna?.put({ id: "resp_1", body: "begun" });
    await anna?.put({ id: "resp_1", body: long, conversationId: "conv-1" });
    expect(await anna?.get("resp_1")).toMatchObject({ id: "resp_1", body: long, conversationId: "conv-1" });
    expect(await ben?.get("resp_1")).toBeUndefined();
    expect(await ben?.remove("resp_1")).toBe(false);
    expect(await ben?.hasAny("conv-1")).toBe(false);
    await expect(ben?.put({ id: "resp_1", body: "taken" })).rejects.toThrow();
    expect(await anna?.hasAny("conv-1")).toBe(true);
    expect([await anna?.has("resp_1"), await ben?.has("resp_1"), await anna?.has("resp_2")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await anna?.replace({ id: "resp_1", body: "shorter", conversationId: "conv-2" })).toBe(true);
    expect(await anna?.get("resp_1")).toMatchObject({ body: "shorter", conversationId: "conv-2" });
    expect(await anna?.remove("resp_1")).toBe(true);
    expect(await anna?.has("resp_1")).toBe(false);
    expect(await anna?.get("resp_1")).toBeUndefined();
  });

  test("go with their conversation", async () => {
    const store = await open();
    const { id } = await store.create();
    await store.append(finishedRun(id, "question", "answer"));
    await store.responses?.put({ id: "resp_1", body: "gone", conversationId: id });
    await store.responses?.put({ id: "resp_2", body: "stays" });
    await store.remove(id);
    expect(await store.responses?.get("resp_1")).toBeUndefined();
    expect(await store.responses?.get("resp_2")).toMatchObject({ body: "stays" });
  });
});

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
