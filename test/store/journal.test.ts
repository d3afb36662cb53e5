import { readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/core/events.ts";
import { type Journal, keepEventsMs, LostRunError } from "../../src/core/store/journal.ts";
import { createMemoryJournal } from "../../src/store/memory/journal.ts";
import { lock, type Work } from "../../src/store/sql/work.ts";
import { createGroupCommit } from "../../src/store/sqlite/journal/group-commit.ts";
import { isHolderAlive, lockForProcess } from "../../src/store/sqlite/journal/process-lock.ts";
import { runWork } from "../../src/store/sqlite/prepare-statements.ts";
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { edit } from "./damage.ts";
import { newRun } from "./journal-runs.ts";
import { finishedRun } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

const step = (name: string, data: unknown = name) => ({ name, spentMs: 5, data });
const told: AgentEvent = { type: "thought-delta", text: "Hm" };

interface Process {
  journal: Journal;
  /** Stores the end of a run. */
  end(runId: string): Promise<void>;
  remove(runId: string): Promise<void>;
  /** Ends as a killed process does: nothing more is written. */
  die(): Promise<void>;
}

/** Opens one journal as several processes do, one after the other. */
const kinds: Record<string, () => Promise<() => Promise<Process>>> = {
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
    const shared = createMemoryJournal();
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

describe.each(Object.entries(kinds))("a journal in %s", (_, create) => {
  test("gives the files of a run and of its steps back, and forgets them when it ends", async () => {
    const open = await create();
    const [first, second, third] = [await open(), await open(), await open()];
    const [asked, shown] = ["a", "b"].map((name) => ({ hash: name.repeat(64), bytes: Buffer.from(name) }));
    if (!asked || !shown) throw new Error("two files");
    const run = await first.journal.begin({ ...newRun("run-1"), files: [asked] });
    await run.add({ ...step("call:c1"), files: [shown, asked] });
    await first.die();
    const taken = await second.journal.take("run-1");
    expect(taken?.files.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])).toEqual([
      [asked.hash, asked.bytes],
      [shown.hash, shown.bytes],
    ]);
    expect(taken?.steps[0]?.data).toBe("call:c1");
    await second.die();
    expect((await third.journal.take("run-1"))?.files).toHaveLength(2);
    await third.end("run-1");
  });

  test("gives a run with its steps and events to one process after its own is gone, and to none before", async () => {
    const open = await create();
    const [first, second, third] = [await open(), await open(), await open()];
    const run = await first.journal.begin(newRun("run-1", "anna"));
    await Promise.all([run.add(step("turn:decide:1", { said: "你好" })), run.add(step("call:c1"))]);
    await run.addEvents(0, [told, told]);
    expect(await second.journal.listInterrupted()).toEqual([]);
    expect(await second.journal.take("run-1")).toBeUndefined();
    expect(await Promise.all([first, second].map(({ journal }) => journal.isGoing("run-1")))).toEqual([true, true]);
    await first.die();

    expect(await second.journal.isGoing("run-1")).toBe(false);
    const [listed] = await second.journal.listInterrupted();
    expect(listed).toMatchObject({ runId: "run-1", owner: "anna", header: newRun("run-1").header });
    const taken = await second.journal.take("run-1");
    expect(taken).toMatchObject({ ends: 0, owner: "anna", conversationId: "conv-run-1" });
    expect(taken?.steps.map(({ name, data, spentMs }) => [name, data, spentMs])).toEqual([
      ["turn:decide:1", { said: "你好" }, 5],
      ["call:c1", "call:c1", 5],
    ]);
    expect(taken?.events).toEqual([told, told]);
    expect(await third.journal.take("run-1")).toBeUndefined();
    expect(await third.journal.listInterrupted()).toEqual([]);
    expect(await third.journal.events("run-1", undefined)).toEqual([]);
    expect(await third.journal.events("run-1", "anna")).toHaveLength(2);
    await taken?.journal.add(step("turn:answer:1"));
    await second.die();
    expect((await third.journal.take("run-1"))?.steps).toHaveLength(3);
  });

  test("counts the ends of a run's process since its last new record", async () => {
    const open = await create();
    const last = await open();
    let process = await open();
    await process.journal.begin(newRun("run-1"));
    for (const [ends, adds] of [[1], [2, "a record"], [0], [1], [2], [3]]) {
      await process.die();
      process = await open();
      const taken = await process.journal.take("run-1");
      expect(taken?.ends).toBe(ends);
      if (adds) await taken?.journal.add(step("turn:decide:1"));
    }
    expect(await last.journal.listInterrupted()).toEqual([]);
  });

  test("gives nobody a run that was ended, stopped, unrecorded or removed, and takes no more of it", async () => {
    const open = await create();
    const [first, second] = [await open(), await open()];
    const begin = (id: string) => first.journal.begin(newRun(id));
    const [ended, stopped, unrecorded, removed] = [
      await begin("run-a"),
      await begin("run-b"),
      await begin("run-c"),
      await begin("run-d"),
    ];
    await first.end("run-a");
    await stopped.forbid("stopped");
    await unrecorded.forbid("unrecorded");
    await first.end("run-d");
    await first.remove("run-d");
    for (const run of [ended, stopped, unrecorded, removed])
      await expect(run.add(step("turn:decide:1"))).rejects.toBeInstanceOf(LostRunError);
    await first.die();
    expect(await second.journal.listInterrupted()).toEqual([]);
    for (const id of ["run-a", "run-b", "run-c", "run-d", "run-e"])
      expect(await second.journal.take(id)).toBeUndefined();
  });
});

/** A work that waits for one lock. */
function work<T>(value: T): () => Work<T> {
  return function* () {
    yield* lock("one");
    return value;
  };
}

test("what is written within one turn of the event loop is one transaction, and each learns whether it is stored", async () => {
  let transactions = 0;
  const commit = createGroupCommit({
    async write(work) {
      transactions += 1;
      if (transactions === 2) throw new Error("disk full");
      return runWork(work(), new Map());
    },
  });
  expect(await Promise.all([1, 2, 3].map((n) => commit(work(n))))).toEqual([1, 2, 3]);
  expect(transactions).toBe(1);
  const failed = await Promise.allSettled([commit(work(4)), commit(work(5))]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await commit(work(6))).toBe(6);
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
  await store.journal.begin(newRun("run-2"));
  expect([count("journal_events"), count("journal_runs")]).toEqual([0, 1]);
  await store.append({ ...finishedRun("conv-run-2", "?", "Yes."), runId: "run-2" });
  await store.remove("conv-run-2");
  expect(count("journal_runs")).toBe(0);
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
