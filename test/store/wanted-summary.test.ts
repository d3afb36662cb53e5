import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { ConversationStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

async function talk(store: ConversationStore): Promise<void> {
  for (const n of [1, 2, 3]) await store.append(finishedRun("conv-a", `Question ${n}?`, "Yes."));
}

test.each([
  ["in memory", async () => createMemoryStore()],
  ["on disk", async () => openStore(await storeFile())],
])(
  "a summary that somebody asked for takes the place of one of as many turns, and never the other way round: %s",
  async (_, open) => {
    const store = await open();
    await talk(store);
    const summary = async () => (await store.load("conv-a"))?.summary;
    await store.summarise("conv-a", { text: "made", turns: 2 });
    expect(await summary()).toEqual({ text: "made", turns: 2 });
    await store.summarise("conv-a", { text: "wanted", turns: 2, isWanted: true });
    expect(await summary()).toEqual({ text: "wanted", turns: 2, isWanted: true });
    await store.summarise("conv-a", { text: "made again", turns: 2 });
    await store.summarise("conv-a", { text: "of less", turns: 1, isWanted: true });
    expect(await summary()).toEqual({ text: "wanted", turns: 2, isWanted: true });
    await store.summarise("conv-a", { text: "of more", turns: 3 });
    expect(await summary()).toEqual({ text: "of more", turns: 3, isWanted: true });
  },
);

test("a file from before there were such summaries gets a place for them, and its version stays, so that an older Duet goes on with it", async () => {
  const file = await storeFile();
  const young = await createSqliteStore(file);
  await talk(young);
  await young.close();
  const database = new DatabaseSync(file);
  database.exec("DROP TABLE wanted_summaries");
  database.close();
  const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
  await store.summarise("conv-a", { text: "wanted", turns: 2, isWanted: true });
  expect(await store.load("conv-a")).toMatchObject({ turns: { length: 3 }, summary: { isWanted: true } });
  const reading = new DatabaseSync(file);
  expect(reading.prepare("PRAGMA user_version").get()).toEqual({ user_version: 2 });
  reading.close();
});
