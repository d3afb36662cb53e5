import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { StoreConnection } from "../../../src/store/sql/connection.ts";
import { listConversations } from "../../../src/store/sql/conversations/conversation-list.ts";
import { openStoreConnection } from "../../../src/store/sqlite/connection.ts";
import { prepareStatements } from "../../../src/store/sqlite/prepare-statements.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "../runs.ts";
import { storeFile } from "../stores.ts";

/** A file with one conversation, and the number of turns that it has beyond its first one. */
async function openLong(turns: number) {
  const file = await storeFile();
  const store = await createSqliteStore(file);
  await store.append(finishedRun("conv-1", "One?", "Yes."));
  await store.close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec("BEGIN");
  const add = database.prepare("INSERT INTO turns (conversation, n, question, answer, parent) VALUES (?, ?, ?, ?, ?)");
  for (let n = 2; n <= turns + 1; n++) add.run("conv-1", n, "x".repeat(200), n === turns + 1 ? "ÉTÉ" : "y", n - 1);
  database.exec("COMMIT");
  const connection = await openStoreConnection(file, { patienceMs: 0, onDamage() {}, onReplace() {} });
  onTestFinished(() => connection.close());
  return { database, connection };
}

test("one conversation is found by its ID, whatever else its owner has", async () => {
  const { database } = await openLong(0);
  const { prepared } = prepareStatements(database).entry ?? {};
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${prepared?.sourceSQL}`);
  const steps = plan.all().map(({ detail }) => detail);
  expect(steps[0]).toMatch(/^SEARCH c USING .*\(id=\?\)$/);
});

test("a search goes through a long conversation in several transactions, and ends with its signal", async () => {
  const { connection } = await openLong(20_000);
  let reads = 0;
  const counted: StoreConnection = {
    ...connection,
    read(work) {
      reads += 1;
      return connection.read(work);
    },
  };
  const page = { limit: 10, offset: 0, search: "été" };
  expect(await listConversations(counted, null, page)).toMatchObject([{ id: "conv-1", match: { turn: 20_001 } }]);
  expect(reads).toBeGreaterThan(1);
  const leaving = new AbortController();
  const whole = reads;
  reads = 0;
  const left = listConversations(counted, null, { ...page, search: "à", signal: leaving.signal });
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  expect(reads).toBeLessThan(whole);
});
