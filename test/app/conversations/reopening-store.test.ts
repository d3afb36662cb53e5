import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createReopeningStore } from "../../../src/app/conversations/reopening-store.ts";
import { createStoreMonitor, type StoreEvent } from "../../../src/app/conversations/store-monitor.ts";
import type { DailyUsage, Spend } from "../../../src/core/store/daily-usage.ts";
import type { SharedStore } from "../../../src/core/store/store.ts";
import { toStoreError } from "../../../src/store/errors/store-error.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { finishedRun, page } from "../../store/runs.ts";
import { openStore, storeFile } from "../../store/stores.ts";

test("conversations that began in memory are moved into the store once it can be opened, with their sources", async () => {
  const { store, events, pauses, tick, gate, file } = await unopenedStore();
  const hers = store.of("anna");
  const { sources } = await store.create("a");
  expect(await sources.number([page("https://1.example"), page("https://2.example")])).toEqual([1, 2]);
  const run = finishedRun("a", "q", "[2]");
  await store.append(run);
  await hers.append(finishedRun((await hers.create()).id, "hers", "a"));
  const begun = await store.create("later");
  await begun.sources.number([page("https://3.example")]);

  await tick();
  await tick();
  expect(pauses).toEqual([1000, 2000, 4000]);
  expect((await store.load("a"))?.turns).toEqual([run.turn]);
  gate.close();
  await tick();
  // It began in memory, and ends when the store is open.
  await store.append(finishedRun("later", "q", "[1]"));
  expect(events).toMatchObject([{ type: "saved" }, { type: "saved" }, { type: "recovered", saved: 2 }]);
  expect(pauses).toHaveLength(3);

  const disk = await openStore(file);
  const stored = await disk.load("a");
  expect(stored?.turns).toEqual([run.turn]);
  expect(stored?.sources.get(2)?.url).toBe("https://2.example");
  expect((await disk.load("later"))?.sources.get(1)?.url).toBe("https://3.example");
  expect(await disk.of("anna").list({ limit: 10, offset: 0 })).toHaveLength(1);
  expect(await store.trace(run.runId)).toMatchObject({ question: "q" });
});

test("what another process has stored meanwhile under the same numbers is not mixed with it, and that is counted", async () => {
  const { store, tick, gate, file, monitor } = await unopenedStore();
  await (await store.create("a")).sources.number([page("https://mine.example")]);
  await store.append(finishedRun("a", "mine", "[1]"));
  gate.close();
  const other = await openStore(file);
  await (await other.create("a")).sources.number([page("https://theirs.example")]);
  await other.append(finishedRun("a", "theirs", "[1]"));
  await tick();
  expect(monitor.status).toMatchObject({ state: "ok", lost: 1, savedLate: 0 });
  expect((await store.load("a"))?.turns.map(({ question }) => question)).toEqual(["theirs"]);
});

test("what callers used in memory is counted in the store once it can be opened, beside what it knows, and once", async () => {
  const { store, tick, gate, file } = await unopenedStore();
  await store.dailyUsage.settle("", { tokens: 5, cost: 0.5 });
  await store.of("anna").dailyUsage.settle("", { tokens: 7, cost: 0 });
  await store.of("bob").dailyUsage.read();
  gate.close();
  const other = await openStore(file);
  await other.of("anna").dailyUsage.settle("", { tokens: 100, cost: 0.25 });
  await tick();
  expect(await other.dailyUsage.read()).toMatchObject({ used: { tokens: 5, cost: 0.5 } });
  expect(await other.of("anna").dailyUsage.read()).toMatchObject({ used: { tokens: 107, cost: 0.25 } });
  // A turn that began in memory ends when the store is open.
  expect(await store.of("anna").dailyUsage.settle("begun", { tokens: 1, cost: 0 })).toMatchObject({ tokens: 108 });
  expect(await other.of("bob").dailyUsage.read()).toMatchObject({ used: { tokens: 0, cost: 0 } });
});

test("usage that the store does not take when it is opened is counted with the caller's next turn", async () => {
  const { store, tick, gate, file, failUsage, monitor } = await unopenedStore();
  await store.of("anna").dailyUsage.settle("", { tokens: 7, cost: 0 });
  gate.close();
  failUsage(true);
  await tick();
  expect(monitor.status.state).toBe("ok");
  await expect(store.of("anna").dailyUsage.read()).rejects.toThrow("cannot be used");
  failUsage(false);
  expect(await store.of("anna").dailyUsage.settle("", { tokens: 1, cost: 0 })).toMatchObject({ tokens: 8 });
  expect(await (await openStore(file)).of("anna").dailyUsage.read()).toMatchObject({ used: { tokens: 8 } });
});

test("the time-outs of hosts are remembered once the store is open", async () => {
  const { store, tick, gate } = await unopenedStore();
  const hers = store.of("anna");
  expect(hers.hostTimeouts).toBeUndefined();
  gate.close();
  await tick();
  await hers.hostTimeouts?.set({ name: "host", version: "1" }, 60);
  expect(await hers.hostTimeouts?.get({ name: "host", version: "1" })).toBe(60);
});

test("a run that is more than memory keeps for the store is counted as lost", async () => {
  const { store, monitor } = await unopenedStore();
  await Promise.all(Array.from({ length: 1001 }, () => store.append(finishedRun("a", "q"))));
  expect(monitor.status).toMatchObject({ waiting: 1000, lost: 1 });
});

test("no attempt follows once it is closed", async () => {
  const { close, pauses, hasNext } = await unopenedStore();
  close();
  expect([pauses, hasNext()]).toEqual([[1000], false]);
});

/** A store that cannot be opened while the test holds its gate, and whose pauses end when the test says so. */
async function unopenedStore() {
  const file = await storeFile();
  await mkdir(dirname(file), { recursive: true });
  const gate = new DatabaseSync(`${file}-gate`);
  gate.exec("BEGIN EXCLUSIVE");
  const monitor = createStoreMonitor();
  const locked = toStoreError(Object.assign(new Error(), { errcode: 5 }), file);
  monitor.useMemory(locked);
  let isUsageFailing = false;
  function failingUsage(opened: SharedStore): SharedStore {
    async function settle(...args: Parameters<DailyUsage["settle"]>): Promise<Spend> {
      if (isUsageFailing) throw locked;
      return opened.dailyUsage.settle(...args);
    }
    const of = (owner: string | undefined): SharedStore => failingUsage(opened.of(owner));
    return { ...opened, of, dailyUsage: { ...opened.dailyUsage, settle } };
  }
  const events: StoreEvent[] = [];
  const pauses: number[] = [];
  let next: (() => void) | undefined;
  let isTried = Promise.withResolvers<void>();
  const { store, close } = createReopeningStore({
    memory: createMemoryStore(),
    monitor: {
      ...monitor,
      useMemory(problem) {
        monitor.useMemory(problem);
        isTried.resolve();
      },
      useDisk() {
        monitor.useDisk();
        isTried.resolve();
      },
    },
    open: async () => failingUsage(await createSqliteStore(file, { patienceMs: 0 })),
    schedule(ms, work) {
      pauses.push(ms);
      next = work;
      return () => {
        next = undefined;
      };
    },
  });
  onTestFinished(async () => {
    close();
    if (gate.isOpen) gate.close();
    await store.close();
  });
  monitor.follow((event) => event.type !== "memory" && events.push(event));
  return {
    ...{ file, gate, store, close, monitor, events, pauses },
    failUsage(isFailing: boolean) {
      isUsageFailing = isFailing;
    },
    hasNext: () => next !== undefined,
    async tick() {
      isTried = Promise.withResolvers();
      const work = next;
      next = undefined;
      work?.();
      await isTried.promise;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
