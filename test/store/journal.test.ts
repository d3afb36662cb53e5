import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { keepEventsMs } from "../../src/core/store/journal.ts";
import { createMemoryJournal } from "../../src/store/memory/journal.ts";
import { isHolderAlive, lockForProcess } from "../../src/store/sqlite/journal/process-lock.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { type CreateJournal, step, testJournal, told } from "./contract/journal.ts";
import { edit } from "./damage.ts";
import { newRun } from "./journal-runs.ts";
import { finishedRun } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

/** Opens one journal as several processes do, one after the other. */
const kinds: Record<string, CreateJournal> = {
  async sqlite() {
    const file = await storeFile();
    return async () => {
      const store = await openStore(file);
      return {
        journal: store.journal,
        end: (runId) => store.append({ ...finishedRun(`conv-${runId}`, "?", "Yes."), runId }),
        async remove(runId) {
          await store.remove(`conv-${runId}`);
        },
        die: () => store.close(),
      };
    };
  },
  async memory() {
    const shared = createMemoryJournal((_owner, { used }) => used);
    return async () => {
      const journal = shared.open();
      return {
        journal,
        end: async (runId) => shared.end(runId, undefined),
        remove: async (runId) => shared.removeOf(`conv-${runId}`, undefined),
        die: async () => journal.close(),
      };
    };
  },
};

for (const [name, create] of Object.entries(kinds)) testJournal(name, create);

/** Counts the commits in the log: the last page of each names the size of the database (https://www.sqlite.org/fileformat2.html#walformat). */
function countCommits(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  const frames = Array.from({ length: Math.floor((log.length - 32) / frame) }, (_, index) => 32 + index * frame);
  return frames.filter((at) => log.readUInt32BE(at + 4) > 0).length;
}

test("runs that end at once are stored with one commit, each of them", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  for (const id of ids) await store.journal.begin(newRun(id));
  const before = countCommits(file);
  await Promise.all(ids.map((id) => store.append({ ...finishedRun(`conv-${id}`, "?", `Yes, ${id}.`), runId: id })));
  expect(countCommits(file) - before).toBe(1);
  const loaded = await Promise.all(ids.map((id) => store.load(`conv-${id}`)));
  expect(loaded.map((each) => each?.turns.map(({ answer }) => answer))).toEqual(ids.map((id) => [`Yes, ${id}.`]));
});

test("what was handed over before the store is closed is stored", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const added = store.idempotency.add({ runId: "run-1", beginning: "run-" });
  await store.close();
  expect(await added).toBeUndefined();
  expect(await (await openStore(file)).idempotency.add({ runId: "run-2", beginning: "run-" })).toMatchObject({
    runId: "run-1",
  });
});

test("the end of a run takes its steps from the store at once, and its events an hour later", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const run = await store.journal.begin(newRun("run-1"));
  await run.add(step("turn:decide:1"));
  await run.addEvents(0, [told]);
  await store.append({ ...finishedRun("conv-run-1", "?", "Yes."), runId: "run-1" });
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;
  expect([count("journal_steps"), count("journal_events")]).toEqual([0, 1]);
  expect(await store.journal.events("run-1", undefined)).toEqual([told]);
  edit(file, `UPDATE journal_runs SET ended_at = '${new Date(Date.now() - keepEventsMs - 1).toISOString()}'`);
  // A process looks for what is old once a minute.
  await store.journal.begin(newRun("run-2"));
  expect([count("journal_events"), count("journal_runs")]).toEqual([1, 2]);
  const other = await openStore(file);
  await other.journal.begin(newRun("run-3"));
  expect([count("journal_events"), count("journal_runs")]).toEqual([0, 2]);
  await store.append({ ...finishedRun("conv-run-2", "?", "Yes."), runId: "run-2" });
  await other.append({ ...finishedRun("conv-run-3", "?", "Yes."), runId: "run-3" });
  for (const id of ["conv-run-2", "conv-run-3"]) await store.remove(id);
  expect(count("journal_runs")).toBe(0);
});

test("old records go once a minute, however often runs begin", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const start = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  await store.journal.begin(newRun("run-0"));
  edit(file, "UPDATE journal_runs SET ended_at = '2020-01-01T00:00:00.000Z'");
  const left: unknown[] = [];
  for (const [index, seconds] of [20, 40, 60].entries()) {
    vi.setSystemTime(start + seconds * 1000);
    await store.journal.begin(newRun(`run-${index + 1}`));
    left.push(database.prepare("SELECT count(*) AS n FROM journal_runs WHERE run = 'run-0'").get()?.n);
  }
  expect(left).toEqual([1, 1, 0]);
});

test("a lock of a process that lives is seen, one that is gone is removed, and an ended process leaves no file", async () => {
  const file = await storeFile();
  const lock = lockForProcess(file);
  expect(lock.holder).toMatch(new RegExp(`^${process.pid}-\\d+-[0-9a-f]{8}$`));
  expect(isHolderAlive(file, lock.holder)).toBe(true);
  expect(isHolderAlive(file, `${lock.holder}0`)).toBe(false);
  lock.release();
  expect(isHolderAlive(file, lock.holder)).toBe(false);
  expect(readdirSync(dirname(file))).toEqual([]);
});

test("a lock that nothing refers to any more lasts as long as its process", async () => {
  const file = await storeFile();
  const { holder } = lockForProcess(file);
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  for (let times = 0; times < 5; times++) {
    if (typeof collect === "function") collect();
    await setImmediate();
  }
  expect(isHolderAlive(file, holder)).toBe(true);
});

test("a run whose step could not be stored is not resumed, although the store could not be told", async () => {
  const file = await storeFile();
  const store = await createSqliteStore(file, { patienceMs: 0 });
  const run = await store.journal.begin(newRun("run-1"));
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(run.add(step("turn:decide:1"))).rejects.toThrow(/locked/);
  await expect(run.forbid("unrecorded")).rejects.toThrow(/locked/);
  // A full disk takes a file only while it is empty.
  expect(statSync(`${file}-unrecorded-run-1`).size).toBe(0);
  other.close();
  await store.close();
  const next = await openStore(file);
  expect(await next.journal.take("run-1")).toBeUndefined();
  // The store has learnt it meanwhile, and nothing is left beside it.
  expect(readdirSync(dirname(file)).filter((name) => name.includes("unrecorded"))).toEqual([]);
  expect(await next.journal.listInterrupted()).toEqual([]);
});
