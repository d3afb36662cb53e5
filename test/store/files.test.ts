import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { askAbout, bytes, hash, part, testFiles } from "./contract/files.ts";
import { edit } from "./damage.ts";
import { newRun } from "./journal-runs.ts";
import { finishedRun } from "./runs.ts";
import { localStores, openStore, storeFile } from "./stores.ts";

function countFiles(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare("SELECT count(*) AS n FROM files").get()?.n);
  } finally {
    database.close();
  }
}

const opened = new WeakMap<object, string>();

for (const [name, open] of localStores) if (name !== "on disk") testFiles(name, open);
testFiles(
  "on disk",
  async () => {
    const file = await storeFile();
    const store = await openStore(file);
    opened.set(store, file);
    return store;
  },
  async (store) => countFiles(opened.get(store) ?? ""),
);

test("what nobody has used for store.keepDays is removed with its files, and counts with their size", async () => {
  const file = await storeFile();
  const store = await openStore(file, { retention: { keepDays: 30, maxSize: 1e15 } });
  await askAbout(store, "old");
  const plain = finishedRun("plain", "What is this?", "A chart.");
  await store.append(plain);
  edit(file, "UPDATE conversations SET updated_at = '2020-01-01T00:00:00.000Z'");
  const sizes = new Map((await store.retention.listExpired()).map((entry) => [entry.id, entry.bytes]));
  expect((sizes.get("old") ?? 0) - (sizes.get("plain") ?? 0)).toBeGreaterThan(bytes.length);
  expect(await store.retention.prune()).toBe(2);
  expect(countFiles(file)).toBe(0);
});

test("a conversation with more files than one step removes is removed with all of them", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const run = finishedRun("many", "What are these?", "Charts.");
  const files = Array.from({ length: 450 }, (_, index) => ({
    hash: `${index}`.padStart(64, "0"),
    bytes: new Uint8Array(9000),
  }));
  await store.append({ ...run, files });
  expect(countFiles(file)).toBe(450);
  expect(await store.remove("many")).toBe(true);
  expect(countFiles(file)).toBe(0);
});

describe("the files of a run that goes on", () => {
  const named = { hash, bytes };

  test("are kept for it whatever becomes of other conversations, and go with its records", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await askAbout(store, "one");
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    await store.remove("one");
    expect(countFiles(file)).toBe(1);
    await store.append({ ...finishedRun("conv-run-1", "?", "Yes."), runId: "run-1" });
    expect(countFiles(file)).toBe(0);
  });

  test("stay with the conversation that names them at its end", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    const turn = { question: "What is this?", answer: "A chart.", files: [part] };
    await store.append({ ...finishedRun("conv-run-1", "?", "Yes."), runId: "run-1", turn, files: [named] });
    expect(await store.readFile({ conversationId: "conv-run-1", hash })).toBeDefined();
  });

  test.each(["its conversation is removed", "nobody goes on with it for a week"])("go when %s", async (when) => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.append(finishedRun("conv-run-1", "?", "Yes."));
    await store.journal.begin({ ...newRun("run-1"), files: [named] });
    expect(countFiles(file)).toBe(1);
    if (when.startsWith("its")) await store.remove("conv-run-1");
    else {
      edit(file, "UPDATE journal_runs SET begun_at = '2020-01-01T00:00:00.000Z'");
      // A process looks for what is old once a minute.
      const other = await openStore(file);
      await other.journal.begin(newRun("run-2"));
    }
    expect(countFiles(file)).toBe(0);
  });
});

test("a column of files that is damaged costs the files alone", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  onTestFinished(() => store.close());
  await askAbout(store, "one");
  edit(file, `UPDATE turns SET files = '{"files":[{"type":"image"},7],"images":"no"}'`);
  expect((await store.load("one"))?.turns).toEqual([{ question: "What is this?", answer: "A chart." }]);
  edit(file, "UPDATE turns SET files = '{'");
  expect((await store.load("one"))?.turns).toHaveLength(1);
});
