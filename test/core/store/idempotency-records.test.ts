import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { finishedRun } from "../../store/runs.ts";
import { openStore, storeFile } from "../../store/stores.ts";

const one = { runId: "run-a1", beginning: "run-a" };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

describe.each([
  ["in memory", async () => createMemoryStore()],
  ["on disk", async () => openStore(await storeFile())],
])("runs that were begun for a key, %s", (_, open) => {
  test("are marked once, until they are kept or were not begun", async () => {
    const { begun, append } = await open();
    expect(await begun.mark(one)).toBeUndefined();
    expect(await begun.mark(one)).toEqual({ runId: "run-a1", begunAt: time });
    expect(await begun.mark({ ...one, runId: "run-a2" })).toMatchObject({ runId: "run-a1" });
    expect(await begun.mark({ runId: "run-b1", beginning: "run-b" })).toBeUndefined();
    await append({ ...finishedRun("conv-a", "Hello?", "Yes."), runId: "run-a1" });
    expect(await begun.mark(one)).toBeUndefined();
    await begun.unmark("run-a1");
    expect(await begun.mark(one)).toBeUndefined();
    expect(await begun.mark({ runId: "run-b2", beginning: "run-b" })).toMatchObject({ runId: "run-b1" });
  });

  test("are their owner's alone", async () => {
    const store = await open();
    const annas = store.of("anna").begun;
    await annas.mark(one);
    await store.begun.unmark("run-a1");
    await store.of("bob").begun.unmark("run-a1");
    expect(await store.of("bob").begun.mark({ runId: "run-a9", beginning: "run-a" })).toBeUndefined();
    expect(await annas.mark(one)).toMatchObject({ runId: "run-a1" });
  });

  test("are forgotten after a week", async () => {
    const { begun } = await open();
    await begun.mark(one);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6.9 * 86_400_000 });
    try {
      expect(await begun.mark(one)).toMatchObject({ runId: "run-a1" });
      vi.setSystemTime(Date.now() + 0.2 * 86_400_000);
      expect(await begun.mark(one)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});

test("of two processes with one file, one may begin a run, and the other learns of it", async () => {
  const file = await storeFile();
  const [first, second] = [await openStore(file), await openStore(file)];
  const marks = await Promise.all([first.begun.mark(one), second.begun.mark(one)]);
  expect(marks.filter((mark) => mark === undefined)).toHaveLength(1);
  await first.close();
  expect(await second.begun.mark(one)).toMatchObject({ runId: "run-a1" });
});

test("a file from before there were such marks gets a place for them", async () => {
  const file = await storeFile();
  const young = await createSqliteStore(file);
  await young.append(finishedRun("conv-a", "Hello?", "Yes."));
  await young.close();
  const database = new DatabaseSync(file);
  database.exec("DROP TABLE begun_runs");
  database.close();
  const store = await openStore(file, { onDamage: (name) => expect.fail(name) });
  await store.begun.mark(one);
  expect(await store.begun.mark(one)).toMatchObject({ runId: "run-a1" });
  expect(await store.load("conv-a")).toMatchObject({ turns: { length: 1 } });
});
