import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { dayMs } from "../../src/core/store/retention.ts";
import type { ConversationStore, OperatorStore } from "../../src/core/store/store.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { removeInSteps } from "../../src/store/sql/conversations/removal.ts";
import { openStoreConnection } from "../../src/store/sqlite/connection.ts";
import { edit } from "./damage.ts";
import { finishedRun, page } from "./runs.ts";
import { openStore, storeFile } from "./stores.ts";

const noLimits = { keepDays: 36_500, maxSize: 1e15 };

/** A conversation of one turn, whose trace holds a text that is hard to compress and this long. */
async function ask(store: ConversationStore, id: string, length = 0): Promise<void> {
  const run = finishedRun(id, `${id}?`, "Yes.");
  const final_answer = Array.from({ length: Math.ceil(length / 16) }, () => Math.random().toString(16)).join("");
  await store.append({ ...run, trace: { ...run.trace, final_answer } });
}

/** Sets when a conversation was last used. */
function use(file: string, id: string, daysAgo: number): void {
  edit(
    file,
    `UPDATE conversations SET updated_at = '${new Date(Date.now() - daysAgo * dayMs).toISOString()}' WHERE id = '${id}'`,
  );
}

async function listIds(store: ConversationStore): Promise<string[]> {
  return (await store.list({ limit: 100, offset: 0 })).map(({ id }) => id);
}

/** Counts the rows of every table that hold something of conversations, by table. */
function countRows(file: string): Record<string, number> {
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const tables = ["conversations", "turns", "summaries", "plans", "sources", "traces", "loaded_tools", "begun_runs"];
  return Object.fromEntries(
    tables.map((table) => [table, Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)]),
  );
}

test("a conversation older than store.keepDays is removed, whoever it belongs to, unless a person named or pinned it", async () => {
  const file = await storeFile();
  const store = await openStore(file, { retention: { ...noLimits, keepDays: 30 } });
  for (const id of ["old", "named", "pinned", "unpinned", "young"]) await ask(store, id);
  await ask(store.of("anna"), "annas");
  await store.change("named", { name: "Keep me" });
  for (const isPinned of [true, false]) await store.change("unpinned", { isPinned });
  await store.change("pinned", { isPinned: true });
  for (const id of ["old", "named", "pinned", "unpinned", "annas"]) use(file, id, 31);
  use(file, "young", 29);
  expect((await store.retention.listExpired()).map(({ id, reason }) => [id, reason])).toEqual([
    ["old", "age"],
    ["unpinned", "age"],
    ["annas", "age"],
  ]);
  expect(await listIds(store)).toHaveLength(5);
  expect(await store.retention.prune()).toBe(3);
  expect((await listIds(store)).sort()).toEqual(["named", "pinned", "young"]);
  expect(await listIds(store.of("anna"))).toEqual([]);
  expect((await store.list({ limit: 9, offset: 0 })).find(({ id }) => id === "named")?.title).toBe("Keep me");
});

test("above store.maxSize the longest unused go first, what is in use stays, and the file shrinks", async () => {
  const file = await storeFile();
  const store = await openStore(file, { retention: { ...noLimits, maxSize: 600_000 } });
  const ids = ["a", "b", "c", "d", "in-use"];
  for (const id of ids) await ask(store, id, 700_000);
  for (const [days, id] of ["d", "c", "b", "a"].entries()) use(file, id, days + 1);
  await store.change("a", { isPinned: true });
  const before = await store.retention.measure();
  expect((await store.retention.listExpired()).map(({ id, reason }) => [id, reason])).toEqual([
    ["b", "size"],
    ["c", "size"],
    ["d", "size"],
  ]);
  expect(await store.retention.prune()).toBe(3);
  expect((await listIds(store)).sort()).toEqual(["a", "in-use"]);
  expect(await store.retention.measure()).toBeLessThan(before / 2);
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const [free] = Object.values(database.prepare("PRAGMA freelist_count").get() ?? {});
  expect(free).toBe(0);
});

test("above store.maxSize, responses that stand in no conversation go before what people have said", async () => {
  const file = await storeFile();
  const store = await openStore(file, { retention: { ...noLimits, maxSize: 900_000 } });
  await ask(store, "kept", 500_000);
  use(file, "kept", 400);
  const body = Array.from({ length: 30_000 }, () => Math.random().toString(16)).join("");
  for (const n of [1, 2, 3, 4]) await store.responses?.put({ id: `resp_${n}`, body });
  for (const n of [1, 2, 3])
    edit(file, `UPDATE responses SET created_at = '2026-01-0${n}T00:00:00.000Z' WHERE id = 'resp_${n}'`);
  expect(await store.retention.listExpired()).toEqual([]);
  expect(await store.retention.prune()).toBe(0);
  const left = await Promise.all([1, 2, 3, 4].map((n) => store.responses?.get(`resp_${n}`)));
  expect([left[0], left[3]?.id]).toEqual([undefined, "resp_4"]);
  expect(await listIds(store)).toEqual(["kept"]);
});

test("removing a conversation takes all that belongs to it, in steps where it is large, and nothing of another", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  for (const id of ["large", "other"]) {
    await (await store.create(id)).sources.number([page(`https://${id}.example`)]);
    for (let turn = 0; turn < 5; turn++) await ask(store, id, 200_000);
    await store.append({ ...finishedRun(id, "Plan?", "Yes."), pendingPlan: "plan", loadedTools: ["a__b"] });
    await store.summarise(id, { text: "so far", turns: 2 });
    await store.idempotency.add({ runId: `run-${id}-1`, beginning: `run-${id}`, conversationId: id });
  }
  expect(await store.of("anna").remove("large")).toBe(false);
  const all = countRows(file);
  expect(await store.remove("large")).toBe(true);
  expect(countRows(file)).toEqual(Object.fromEntries(Object.entries(all).map(([table, count]) => [table, count / 2])));
  expect(Object.values(countRows(file)).every((count) => count > 0)).toBe(true);
  expect(await store.remove("large")).toBe(false);
  expect((await store.load("other"))?.turns).toHaveLength(6);
});

test("a conversation that is asked again, or pinned, between two steps of its removal stays", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const ids = ["asked", "pinned"];
  for (const id of ids) for (let turn = 0; turn < 5; turn++) await ask(store, id, 200_000);
  for (const id of ids) use(file, id, 31);
  const connection = await openStoreConnection(file, { patienceMs: 1_000, onDamage() {}, onReplace() {} });
  onTestFinished(() => connection.close());
  const before = new Date(Date.now() - 30 * dayMs).toISOString();
  const changes = { asked: () => ask(store, "asked"), pinned: () => store.change("pinned", { isPinned: true }) };
  for (const [id, change] of Object.entries(changes)) {
    let steps = 0;
    const beforeStep = async () => void (++steps === 2 && (await change()));
    expect(await removeInSteps(connection, [{ id, owner: null, before }], { beforeStep })).toBe(0);
    expect(steps).toBe(2);
  }
  expect((await listIds(store)).sort()).toEqual(ids);
});

test("in the background one process at a time prunes after a run, and by age only once the clock has been right for a day", async () => {
  const file = await storeFile();
  const clock = { ms: Date.now() };
  const retention = { ...noLimits, keepDays: 30 };
  const store = await openStore(file, { retention, now: () => clock.ms });
  const other = await openStore(file, { retention, now: () => clock.ms });
  await ask(store, "old");
  use(file, "old", 31);
  // The store has just been seen for the first time.
  await settle(store);
  expect(await listIds(store)).toContain("old");
  clock.ms += 2 * 3_600_000;
  await ask(other, "young");
  await settle(other);
  expect(await listIds(store)).toContain("old");
  // A clock that is years ahead for a moment makes nothing old.
  clock.ms += 20 * 365 * dayMs;
  await ask(store, "young");
  await settle(store);
  clock.ms -= 20 * 365 * dayMs;
  expect((await listIds(store)).sort()).toEqual(["old", "young"]);
  clock.ms += 2 * 3_600_000;
  await ask(store, "young");
  await settle(store);
  expect(await listIds(store)).toContain("old");
  clock.ms += dayMs + 3_600_000;
  await ask(store, "young");
  await settle(store);
  expect(await listIds(store)).toEqual(["young"]);
});

/** Resolves when the pass in the background, which began with the last run, is over. */
async function settle(store: OperatorStore): Promise<void> {
  await store.retention.settled();
}

test("in memory, the limits hold too, and what a person named or pinned stays when there are too many", async () => {
  const clock = { ms: Date.now() };
  const store = createMemoryStore({ max: 3, retention: { keepDays: 30, maxSize: 1e15 }, now: () => clock.ms });
  for (const id of ["a", "b", "c"]) await ask(store, id);
  await store.change("a", { name: "Mine" });
  await store.change("b", { isPinned: true });
  await ask(store, "d");
  expect((await listIds(store)).sort()).toEqual(["a", "b", "d"]);
  clock.ms += 31 * dayMs;
  await ask(store, "e");
  expect((await listIds(store)).sort()).toEqual(["a", "b", "e"]);
  expect((await store.load("a"))?.title).toBe("Mine");
  const small = createMemoryStore({ retention: { ...noLimits, maxSize: 1_000_000 } });
  for (const id of ["a", "b", "c"]) await ask(small, id, 300_000);
  expect(await listIds(small)).toEqual(["c"]);
});
