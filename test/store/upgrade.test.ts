import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { finishedRun, page } from "./runs.ts";
import { openStore, storeFile, versionOneFile } from "./stores.ts";

test("a store that Duet wrote before there were owners is the operator's, with all that is in it", async () => {
  const file = await versionOneFile();
  const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
  expect(await store.list({ limit: 10, offset: 0 })).toMatchObject([
    { id: "conv-last", title: "Other?", turns: 1 },
    { id: "conv-old", title: "One?", turns: 2 },
  ]);
  const old = await store.load("conv-old");
  expect(old).toMatchObject({
    turns: [{ question: "One?" }, { question: "Plan it?" }],
    summary: { text: "It began.", turns: 1 },
    pendingPlan: "the plan",
  });
  expect(old?.sources.all().map(({ source }) => source)).toEqual(["https://a.example", "https://b.example"].map(page));
  expect((await store.trace())?.run_id).toBe("run-old-3");
  expect((await store.runs({ conversationId: "conv-old" })).map(({ id }) => id)).toEqual(["run-old-1", "run-old-2"]);
  expect(await store.of("anna").list({ limit: 10, offset: 0 })).toEqual([]);
  expect(await store.of("anna").load("conv-old")).toBeUndefined();

  await store.append(finishedRun("conv-old", "Again?", "Yes."));
  await store.of("anna").append(finishedRun("conv-annas", "Mine?", "Yes."));
  await store.close();
  const again = await openStore(file);
  expect([await again.latest(), await again.of("anna").latest()]).toEqual(["conv-old", "conv-annas"]);
});

test("a store that was brought up to date has the very tables of a new one, and is sound", async () => {
  const [old, young] = [await versionOneFile(), await storeFile()];
  const tables = await Promise.all(
    [old, young].map(async (file) => {
      await (await createSqliteStore(file)).close();
      const database = new DatabaseSync(file);
      const sound = [
        database.prepare("PRAGMA integrity_check").all(),
        database.prepare("PRAGMA foreign_key_check").all(),
      ];
      const found = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql").all();
      const version = database.prepare("PRAGMA user_version").get();
      database.close();
      return { sound, found, version };
    }),
  );
  expect(tables[0]).toEqual(tables[1]);
  expect(tables[0]).toMatchObject({ sound: [[{ integrity_check: "ok" }], []], version: { user_version: 2 } });
});

test("an older Duet that has the file open goes on with it, for the operator", async () => {
  const file = await versionOneFile();
  const older = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  onTestFinished(() => older.close());
  // As that version prepared them, before the tables became others.
  const touch = older.prepare(`
    INSERT INTO conversations (id, title, turns, asked, created_at, updated_at)
    VALUES (?, 'Older?', 1, (SELECT coalesce(max(asked), 0) + 1 FROM conversations), '', '')
    ON CONFLICT (id) DO UPDATE SET turns = turns + excluded.turns, asked = excluded.asked RETURNING turns`);
  const addTurn = older.prepare("INSERT INTO turns (conversation, n, question, answer) VALUES (?, ?, ?, ?)");
  const latest = older.prepare("SELECT id FROM conversations ORDER BY asked DESC LIMIT 1");
  expect(latest.get()).toEqual({ id: "conv-last" });

  const store = await openStore(file);
  await store.append(finishedRun("conv-new", "New?", "Yes."));
  expect(latest.get()).toEqual({ id: "conv-new" });
  for (const id of ["conv-older", "conv-new"]) addTurn.run(id, Number(touch.get(id)?.turns), "From the older?", "Yes.");
  expect(await store.latest()).toBe("conv-new");
  expect((await store.load("conv-new"))?.turns).toHaveLength(2);
  expect(await store.load("conv-older")).toMatchObject({ turns: [{ question: "From the older?" }] });
});

test("a store of the first version with other tables than Duet's is set aside, not changed", async () => {
  const file = await storeFile();
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE mine (x); PRAGMA user_version = 1");
  database.close();
  const before = readFileSync(file);
  const damaged: string[] = [];
  await openStore(file, { onDamage: (name) => damaged.push(name) });
  expect(damaged).toHaveLength(1);
  expect(readFileSync(String(damaged[0])).equals(before)).toBe(true);
});

test("the file of the first version is one", () => {
  const fixture = gunzipSync(readFileSync(new URL("../fixtures/stores/version-1.db.gz", import.meta.url)));
  // The version stands at byte 60 (https://www.sqlite.org/fileformat.html).
  expect(fixture.readUInt32BE(60)).toBe(1);
});
