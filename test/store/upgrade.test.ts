import { mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { schemaVersion } from "../../src/store/sqlite/schema.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { edit } from "./damage.ts";
import { finishedRun, page } from "./runs.ts";
import { olderFile, openStore, storeFile } from "./stores.ts";

test("a store that Duet wrote before there were owners is the operator's, with all that is in it", async () => {
  const file = await olderFile(1);
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

test("a store of Duet 0.1 keeps its runs, traces, records and texts; what is written next is packed beside them", async () => {
  const file = await olderFile(2);
  // The first files of that version had fewer tables.
  edit(file, "DROP TABLE wanted_summaries");
  const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
  expect(await store.load("conv-old")).toMatchObject({
    title: "One?",
    turns: [{ question: "One?" }, { question: "Plan it?" }],
    summary: { text: "It began.", turns: 1 },
    pendingPlan: "the plan",
    loadedTools: ["files__read", "mail__send"],
  });
  expect((await store.trace("run-old-2"))?.steps[0]?.observation).toMatch(/^(line of a long result\n){400}$/);
  expect(await store.of("anna").latest()).toBe("conv-annas");
  expect(await store.idempotency.add({ runId: "run-begun-2", beginning: "run-begun" })).toMatchObject({
    runId: "run-begun-1",
  });
  expect(await store.typedHistory.list()).toEqual(["typed once"]);
  expect(await store.list({ limit: 2, offset: 1 })).toMatchObject([
    { id: "conv-old", isPinned: false, isNamed: false },
  ]);

  const old = await store.trace("run-old-2");
  const run = finishedRun("conv-old", "Again?", "Yes.");
  if (old) await store.append({ ...run, trace: { ...old, run_id: run.runId } });
  expect((await store.trace(run.runId))?.steps).toEqual(old?.steps);
  expect((await store.runs({ conversationId: "conv-old" })).map(({ question }) => question)).toHaveLength(3);
  const packed = new DatabaseSync(file).prepare("SELECT octet_length(trace) + octet_length(packed) AS n FROM traces");
  expect(packed.all().map(({ n }) => n)).toEqual([null, null, null, null, expect.toSatisfy((n) => n < 1000)]);
});

test("a store whose turns kept no calls goes on with turns that do, beside the old ones", async () => {
  const store = await openStore(await olderFile(7), { onDamage: (name) => expect.fail(name) });
  expect(await store.load("conv-old")).toMatchObject({
    turns: [{ question: "One?", answer: "First." }, { question: "Two?" }],
    summary: { text: "It began.", turns: 1 },
  });
  const run = finishedRun("conv-old", "Three?", "");
  const turn = { question: "Three?", answer: "(stopped)", status: "cancelled" } as const;
  await store.append({ ...run, turn, marker: "abcd1234", results: [{ n: 3, text: "whole" }] });
  const found = await store.load("conv-old");
  expect(found).toMatchObject({ marker: "abcd1234", turns: [{}, {}, { status: "cancelled" }] });
  expect([found?.results?.last, await found?.results?.get(3)]).toEqual([3, "whole"]);
});

test("stores that were brought up to date have the very tables of a new one, and are sound", async () => {
  const files = [await olderFile(1), await olderFile(2), await olderFile(7), await storeFile()];
  const tables = await Promise.all(
    files.map(async (file) => {
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
  for (const table of tables) expect(table).toEqual(tables[2]);
  expect(tables[0]).toMatchObject({
    sound: [[{ integrity_check: "ok" }], []],
    version: { user_version: schemaVersion },
  });
});

test("an older Duet that has the file open goes on with it, for the operator", async () => {
  const file = await olderFile(1);
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

test.each([1, 2])("the file of version %i is one", (version) => {
  const fixture = gunzipSync(readFileSync(new URL(`../fixtures/stores/version-${version}.db.gz`, import.meta.url)));
  // The version stands at byte 60 (https://www.sqlite.org/fileformat.html).
  expect(fixture.readUInt32BE(60)).toBe(version);
});
