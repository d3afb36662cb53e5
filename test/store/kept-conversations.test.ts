import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { testKeptConversations } from "./contract/kept-conversations.ts";
import { finishedRun } from "./runs.ts";
import { localStores, openStore, storeFile } from "./stores.ts";

for (const [name, open] of localStores) testKeptConversations(name, open);

test("the next process removes what a store on disk has discarded, and nothing of it is left in the file", async () => {
  const file = await storeFile();
  const first = await openStore(file, { now: () => 0 });
  await first.append(finishedRun("conv-1", "One?", "Yes."));
  await first.discard("conv-1", 1_000);
  await first.close();
  const second = await openStore(file, { now: () => 2_000 });
  await second.retention.prune();
  await second.close();
  const database = new DatabaseSync(file);
  const left = ["conversations", "turns", "traces", "discarded"].map(
    (table) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n,
  );
  database.close();
  expect(left).toEqual([0, 0, 0, 0]);
});
