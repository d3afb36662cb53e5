import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createDiscardedConversations } from "../../../src/store/sql/conversations/discarded.ts";
import { openStoreConnection } from "../../../src/store/sqlite/connection.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "../runs.ts";
import { storeFile } from "../stores.ts";

test("a removal that fails is tried again after pauses that grow, until nothing of the conversation is left in the file", async () => {
  const file = await storeFile();
  const store = await createSqliteStore(file, { now: () => 0 });
  await store.append(finishedRun("conv-1", "One?", "Yes."));
  await store.discard("conv-1", 1_000);
  await store.close();
  const timers: { callback: () => void; ms: number }[] = [];
  const connection = await openStoreConnection(file, { patienceMs: 0, onDamage() {}, onReplace() {} });
  const setTimer = (callback: () => void, ms: number) => {
    timers.push({ callback, ms });
    return setTimeout(() => {}, 0);
  };
  const discarded = createDiscardedConversations(connection, () => 2_000, setTimer);
  const other = new DatabaseSync(file);
  onTestFinished(() => {
    discarded.close();
    connection.close();
    other.close();
  });
  other.exec("BEGIN IMMEDIATE");
  for (let attempt = 0; attempt < 8; attempt++) await discarded.removeDue();
  expect(timers.map(({ ms }) => ms)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  other.exec("COMMIT");
  timers.at(-1)?.callback();
  const count = () => other.prepare("SELECT count(*) AS n FROM conversations").get()?.n;
  await expect.poll(count).toBe(0);
});
