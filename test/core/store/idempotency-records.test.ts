import { expect, test } from "vitest";
import { testIdempotencyRecords } from "../../store/contract/idempotency-records.ts";
import { edit } from "../../store/damage.ts";
import { localStores, olderFile, openStore, storeFile } from "../../store/stores.ts";

const one = { runId: "run-a1", beginning: "run-a" };

for (const [name, open] of localStores) testIdempotencyRecords(name, open);

test("of two processes with one file, one may begin a run, and the other learns of it", async () => {
  const file = await storeFile();
  const [first, second] = [await openStore(file), await openStore(file)];
  const records = await Promise.all([first.idempotency.add(one), second.idempotency.add(one)]);
  expect(records.filter((record) => record === undefined)).toHaveLength(1);
  await first.close();
  expect(await second.idempotency.add(one)).toMatchObject({ runId: "run-a1" });
});

test("a file from before there were such records gets a place for them", async () => {
  const file = await olderFile(2);
  edit(file, "DROP TABLE begun_runs");
  const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
  await store.idempotency.add(one);
  expect(await store.idempotency.add(one)).toMatchObject({ runId: "run-a1" });
  expect(await store.load("conv-last")).toMatchObject({ turns: { length: 1 } });
});
