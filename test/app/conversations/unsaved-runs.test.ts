import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createMonitoredStore, probeStore } from "../../../src/app/conversations/monitored-store.ts";
import {
  createStoreMonitor,
  describeStoreEvent,
  type StoreEvent,
} from "../../../src/app/conversations/store-monitor.ts";
import { createUnsavedRuns, type UnsavedLimits } from "../../../src/app/conversations/unsaved-runs.ts";
import { noSpend } from "../../../src/core/store/daily-usage.ts";
import { LostRunError } from "../../../src/core/store/journal.ts";
import { UnsavedRunError } from "../../../src/core/store/unsaved-run-error.ts";
import { StoreError } from "../../../src/store/errors/store-error.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { finishedRun, page } from "../../store/runs.ts";
import { storeFile } from "../../store/stores.ts";

test("what a locked store refuses goes on as if it were saved, and is saved in order once the lock is gone", async () => {
  const { store, lock, unlock, events, tick } = await lockedStore();
  const first = finishedRun("a", "My name is Zed.", "Hello, Zed. [1]");
  const { sources } = await store.create("a");
  lock();
  expect(await sources.number([page("https://1.example")])).toEqual([1]);
  await expect(store.append(first)).rejects.toBeInstanceOf(UnsavedRunError);
  const again = await store.load("a");
  expect(again?.turns).toEqual([first.turn]);
  expect(await again?.sources.number([page("https://2.example")])).toEqual([2]);
  await expect(store.append(finishedRun("a", "What is my name?", "Zed. [2]"))).rejects.toBeInstanceOf(UnsavedRunError);
  expect(await store.trace(first.runId)).toBe(first.trace);
  expect((await store.runs({ conversationId: "a" })).map(({ question }) => question)).toEqual([
    "My name is Zed.",
    "What is my name?",
  ]);
  expect(await store.of("anna").load("a")).toBeUndefined();

  unlock();
  await tick();
  const kept = await store.load("a");
  expect(kept?.turns.map(({ question }) => question)).toEqual(["My name is Zed.", "What is my name?"]);
  expect(kept?.sources.all().map(({ n, source }) => [n, source.url])).toEqual([
    [1, "https://1.example"],
    [2, "https://2.example"],
  ]);
  expect(await store.runs({ conversationId: "a" })).toHaveLength(2);
  expect(events.map(({ type }) => type)).toEqual(["failing", "saved", "saved", "recovered"]);
});

test("it is tried again after pauses that grow up to a minute, and told to the operator once", async () => {
  const { store, lock, unlock, events, tick, wait, pauses, monitor } = await lockedStore();
  lock();
  await expect(store.append(finishedRun("a", "q", "a"))).rejects.toThrow("another process keeps it locked");
  for (let attempt = 0; attempt < 8; attempt++) await tick();
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  expect(events.map(({ type }) => type)).toEqual(["failing"]);
  expect(monitor.status).toMatchObject({ state: "failing", waiting: 1, savedLate: 0 });
  unlock();
  // An attempt that has only just failed is not repeated for the next run.
  wait(1000);
  await store.append(finishedRun("b", "q", "a"));
  expect(monitor.status).toMatchObject({ state: "ok", waiting: 0, savedLate: 1, lost: 0 });
  expect((await store.load("a"))?.turns).toHaveLength(1);
  expect(events.flatMap((event) => describeStoreEvent(event)?.en ?? [])).toEqual([
    expect.stringMatching(/^The conversation store cannot be written at present: .*locked.*DUET_HOME\.$/),
    "the conversation store can be written again; runs that had waited and are saved now: 1",
  ]);
});

test("a run that goes on in another process by the time it could be saved is none that is lost", async () => {
  const monitor = createStoreMonitor();
  const opened = await createSqliteStore(await storeFile());
  onTestFinished(() => opened.close());
  const away = new StoreError(Object.assign(new Error(), { code: "ECONNREFUSED" }), "postgres://db/duet");
  const thrown = [away, new LostRunError("run-1")];
  const store = { ...opened, append: () => Promise.reject(thrown.shift()) };
  const unsaved = createUnsavedRuns({ monitor, probe: async () => {} });
  onTestFinished(() => void unsaved.close(AbortSignal.abort()));
  const added = { owner: undefined, store, run: finishedRun("a", "q", "a"), sources: undefined };
  await expect(unsaved.append(added)).rejects.toBeInstanceOf(UnsavedRunError);
  await unsaved.saveNow();
  expect(monitor.status).toMatchObject({ state: "ok", waiting: 0, savedLate: 0, lost: 0 });
});

test("a store that was found failing by a question's key is found well again without another question", async () => {
  const { store, lock, unlock, tick, monitor } = await lockedStore();
  lock();
  await expect(store.idempotency.add({ runId: "run-1", beginning: "run-1" })).rejects.toThrow("locked");
  expect(monitor.status.state).toBe("failing");
  unlock();
  await tick();
  expect(monitor.status).toMatchObject({ state: "ok", failures: new Map([["locked", 1]]) });
});

test.each([
  ["a name", ({ store }: Locked) => store.change("a", { name: "n" })],
  ["a caller's day", ({ store }: Locked) => store.of("anna").dailyUsage.settle("", noSpend)],
  ["a host's time-out", ({ store }: Locked) => store.of("anna").hostTimeouts?.set({ name: "h", version: "1" }, 60)],
])("a store that cannot write %s is told as failing", async (_, write) => {
  const locked = await lockedStore();
  locked.lock();
  await expect(write(locked)).rejects.toThrow("another process keeps it locked");
  expect(locked.monitor.status.state).toBe("failing");
  locked.unlock();
  await locked.tick();
  expect(locked.monitor.status.state).toBe("ok");
});

test("a deleted conversation takes its waiting runs with it, and has them again when it is brought back", async () => {
  const { store, lock, unlock, tick, monitor } = await lockedStore();
  await store.append(finishedRun("a", "First?", "One."));
  const sees = async () => (await store.load("a"))?.turns.map(({ question }) => question);
  const deleteWaiting = async (question: string, graceMs: number) => {
    lock();
    await expect(store.append(finishedRun("a", question, "x"))).rejects.toBeInstanceOf(UnsavedRunError);
    unlock();
    expect(await store.discard("a", graceMs)).toBeGreaterThan(0);
  };
  await deleteWaiting("Second?", 60_000);
  expect([await sees(), await store.list({ limit: 9, offset: 0 }), monitor.status.waiting]).toEqual([undefined, [], 0]);
  await tick();
  expect(await sees()).toBeUndefined();
  expect(await store.restore("a")).toBe(true);
  expect([await sees(), monitor.status.waiting]).toEqual([["First?", "Second?"], 1]);
  await tick();
  expect([await sees(), monitor.status.waiting]).toEqual([["First?", "Second?"], 0]);
  // Nothing can be brought back where the time is over at once.
  await deleteWaiting("Third?", 0);
  expect(await store.restore("a")).toBe(false);
  await tick();
  expect(await sees()).toBeUndefined();
});

test("a run that ends after its conversation was deleted does not bring it back; one that is begun anew is kept", async () => {
  const { store } = await lockedStore();
  await store.append(finishedRun("a", "First?", "One."));
  await store.remove("a");
  await expect(store.append(finishedRun("a", "Late?", "x"))).rejects.toThrow();
  expect(await store.load("a")).toBeUndefined();
  await store.create("a", { isGiven: true });
  await store.append(finishedRun("a", "Anew?", "One."));
  expect((await store.load("a"))?.turns).toHaveLength(1);
});

test("too many or too old runs are given up, the oldest first, and counted", async () => {
  const { store, lock, tick, monitor, events, wait } = await lockedStore({ runs: 2, size: 1_000_000, keepMs: 100_000 });
  lock();
  for (const id of ["a", "b", "c"]) await expect(store.append(finishedRun(id, "q", "a"))).rejects.toThrow("locked");
  expect(await Promise.all(["a", "b", "c"].map((id) => store.load(id).then((known) => known !== undefined)))).toEqual([
    false,
    true,
    true,
  ]);
  wait(100_001);
  await tick();
  expect(monitor.status).toMatchObject({ waiting: 0, lost: 3, state: "failing" });
  expect(events.map(({ type }) => type)).toEqual(["failing", "lost", "lost"]);
});

test("a caller who is not the operator is told why nothing is saved, and not where the store is", async () => {
  const { store, lock, file } = await lockedStore();
  lock();
  const hers = store.of("anna").append(finishedRun("hers", "q", "a"));
  await expect(hers).rejects.toThrow(/^another process keeps it locked$/);
  await expect(store.append(finishedRun("mine", "q", "a"))).rejects.toThrow(file);
});

test("a run that can never be saved does not keep the others from being saved", async () => {
  const { store, lock, unlock, tick, monitor } = await lockedStore();
  await store.of("anna").append(finishedRun("hers", "q", "a"));
  lock();
  for (const id of ["hers", "mine"]) await expect(store.append(finishedRun(id, "q", "a"))).rejects.toThrow("locked");
  unlock();
  await tick();
  expect(monitor.status).toMatchObject({ waiting: 0, lost: 1, savedLate: 1 });
  expect((await store.load("mine"))?.turns).toHaveLength(1);
});

test("closing tries once more, and counts what is lost", async () => {
  const { store, lock, unsaved } = await lockedStore();
  lock();
  await expect(store.append(finishedRun("a", "q", "a"))).rejects.toThrow("locked");
  expect(await unsaved.close(AbortSignal.timeout(60_000))).toEqual({ saved: 0, lost: 1 });
});

test("a file that is deleted or replaced by garbage while it is in use is told, with its name to the operator alone", async () => {
  const { store, file, events, monitor } = await lockedStore();
  for (const part of ["", "-wal", "-shm"]) await rm(file + part, { force: true });
  await store.append(finishedRun("a", "q", "a"));
  for (const part of ["", "-wal"]) {
    await writeFile(`${file}.new`, "no database".repeat(1000));
    await rename(`${file}.new`, file + part);
  }
  await rm(`${file}-shm`, { force: true });
  await store.append(finishedRun("b", "q", "a"));
  expect((await store.load("b"))?.turns).toHaveLength(1);
  expect(events.map(({ type }) => type)).toEqual(["replaced", "set-aside"]);
  const tell = (isOperator: boolean) =>
    monitor.listLateNotices({ locale: "en", known: new Set(), isOperator, isUnsaved: false });
  expect(tell(true).map(({ code }) => code)).toEqual(["store-replaced", "store-damaged"]);
  expect(JSON.stringify(tell(true))).toContain(`${file}.damaged-`);
  expect(JSON.stringify(tell(false))).not.toContain(dirname(file));
});

type Locked = Awaited<ReturnType<typeof lockedStore>>;

/** A store whose lock the test takes and gives back, and whose pauses end when the test says so. */
async function lockedStore(limits?: UnsavedLimits) {
  const file = await storeFile();
  await mkdir(dirname(file), { recursive: true });
  let now = 0;
  const monitor = createStoreMonitor(() => now);
  const events: StoreEvent[] = [];
  monitor.follow((event) => void events.push(event));
  const pauses: number[] = [];
  let due: (() => void) | undefined;
  const { recordSetAside: onDamage, recordReplaced: onReplace } = monitor;
  const own = await createSqliteStore(file, { patienceMs: 0, onDamage, onReplace });
  let isTried = Promise.withResolvers<void>();
  const unsaved = createUnsavedRuns({
    monitor: {
      ...monitor,
      get status() {
        return monitor.status;
      },
      recordFailure(problem) {
        monitor.recordFailure(problem);
        isTried.resolve();
      },
      recordSuccess() {
        monitor.recordSuccess();
        isTried.resolve();
      },
    },
    probe: () => probeStore(own),
    limits,
    now: () => now,
    schedule(ms, work) {
      pauses.push(ms);
      due = work;
      return () => {
        due = undefined;
      };
    },
  });
  const store = createMonitoredStore(own, { unsaved });
  const other = new DatabaseSync(file);
  onTestFinished(async () => {
    other.close();
    await store.close();
  });
  return {
    ...{ file, store, unsaved, monitor, events, pauses },
    lock: () => other.exec("BEGIN IMMEDIATE"),
    unlock: () => other.exec("COMMIT"),
    wait(ms: number) {
      now += ms;
    },
    /** Lets the pause end, and waits for the attempt that follows. */
    async tick() {
      isTried = Promise.withResolvers();
      now += 1000;
      due?.();
      await isTried.promise;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
