import { expect, test } from "vitest";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { finishedRun, page } from "../runs.ts";

test("a conversation or a trace that is only read does not become the last one", async () => {
  const store = createMemoryStore();
  const first = finishedRun("a", "first", "one");
  const second = finishedRun("b", "second", "two");
  await store.append(first);
  await store.append(second);
  await store.load("a");
  await store.trace(first.runId);
  expect(await store.latest()).toBe("b");
  expect((await store.list({ limit: 10, offset: 0 })).map(({ id }) => id)).toEqual(["b", "a"]);
  expect((await store.trace())?.run_id).toBe(second.runId);
});

test("a run is found by its conversation and by the beginning of its id", async () => {
  const store = createMemoryStore();
  await store.append({ ...finishedRun("a", "one", "1"), runId: "run-1" });
  await store.append(finishedRun("b", "two", "2"));
  const three = finishedRun("a", "three");
  await store.append(three);
  expect((await store.runs({ conversationId: "a" })).map(({ question }) => question)).toEqual(["one", "three"]);
  expect(await store.runs({ beginning: three.runId.slice(0, -1) })).toEqual([
    { id: three.runId, question: "three", status: "complete", startedAt: "2026-11-21T00:00:00.000Z" },
  ]);
});

test("a conversation is titled with its first question, cut where it is long, also when its run failed", async () => {
  const store = createMemoryStore();
  await store.append(finishedRun("a", "word ".repeat(100)));
  await store.append(finishedRun("a", "again", "one"));
  const [entry] = await store.list({ limit: 10, offset: 0 });
  expect(entry).toMatchObject({ turns: 1, title: expect.stringMatching(/^word .*…$/) });
  expect(entry?.title.length).toBeLessThanOrEqual(200);
});

test("two runs that begin one conversation at once share its sources", async () => {
  const store = createMemoryStore();
  const [one, two] = await Promise.all([store.create("a"), store.create("a")]);
  expect(await one.sources.number([page("https://one.example/")])).toEqual([1]);
  expect(await two.sources.number([page("https://two.example/")])).toEqual([2]);
});

test("what is appended later is not in a conversation that was loaded before", async () => {
  const store = createMemoryStore();
  const before = await store.create("a");
  await store.append(finishedRun("a", "q", "a"));
  expect(before.turns).toEqual([]);
  expect((await store.load("a"))?.turns).toHaveLength(1);
});

test("the least recently used conversations are forgotten beyond the limit", async () => {
  const store = createMemoryStore({ max: 2 });
  for (const id of ["a", "b"]) await store.append(finishedRun(id, "q", "a"));
  await store.load("a");
  await store.append(finishedRun("c", "q", "a"));
  expect(await store.load("b")).toBeUndefined();
  expect(await store.load("a")).toBeDefined();
});
