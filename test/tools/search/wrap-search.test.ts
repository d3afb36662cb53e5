import { expect, onTestFinished, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { createWebSearch } from "../../../src/tools/search/web-search.ts";
import { createSearchCache, withCache, withSearchBudget } from "../../../src/tools/search/wrap-search.ts";
import { type FakeSearch, startFakeSearch } from "../../fakes/search.ts";
import { testContext } from "../context.ts";

const page = { title: "Beijing", url: "https://example.com/1", content: "Content" };

async function surroundings(): Promise<{ fake: FakeSearch; tool: Tool }> {
  const fake = await startFakeSearch({ "*": [page] });
  onTestFinished(() => fake.close());
  return { fake, tool: createWebSearch(fake.options({ backend: "tavily" }), "en") };
}

function cached(tool: Tool, size = 20): Tool {
  const cache = createSearchCache(size);
  if (!cache) throw new Error("no cache");
  return withCache(tool, cache);
}

test("the same query again is answered without asking, whatever its spaces, case and width", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool);
  const first = await search.run({ query: "beijing 2026" }, testContext());
  expect(first.cached).toBeUndefined();
  expect(await search.run({ query: "  BeiJing　２０２６ " }, testContext())).toEqual({ ...first, cached: true });
  expect(fake.journal).toHaveLength(1);
});

test("the query that was unused the longest is forgotten when the cache is full", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool, 2);
  for (const query of ["a", "b", "a", "c", "a", "b"]) await search.run({ query }, testContext());
  expect(fake.journal.map(({ query }) => query)).toEqual(["a", "b", "c", "b"]);
});

test("no size, no cache", () => {
  expect(createSearchCache(0)).toBeUndefined();
});

test("failures are not kept", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool);
  fake.fault = "broken";
  expect((await search.run({ query: "beijing" }, testContext())).ok).toBe(false);
  fake.fault = undefined;
  const again = await search.run({ query: "beijing" }, testContext());
  expect(again.ok).toBe(true);
  expect(again.cached).toBeUndefined();
});

test("two caches share nothing", async () => {
  const { fake, tool } = await surroundings();
  await cached(tool).run({ query: "beijing" }, testContext());
  await cached(tool).run({ query: "beijing" }, testContext());
  expect(fake.journal).toHaveLength(2);
});

test("the same query twice at once is asked once", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool);
  const [first, second] = await Promise.all([
    search.run({ query: "beijing" }, testContext()),
    search.run({ query: "Beijing" }, testContext()),
  ]);
  expect([first.cached, second.cached]).toEqual([undefined, true]);
  expect(second.sources).toEqual(first.sources);
  expect(fake.journal).toHaveLength(1);
});

test("who waits for another's search searches for itself when the other gives up", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool);
  fake.fault = "hang";
  const leaver = new AbortController();
  const first = search.run({ query: "beijing" }, testContext({ signal: leaver.signal }));
  await expect.poll(() => fake.journal.length).toBe(1);
  const second = search.run({ query: "beijing" }, testContext());
  fake.fault = undefined;
  leaver.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  expect(await second).toMatchObject({ ok: true, sources: [{ title: "Beijing" }] });
});

test("a waiting search ends at once when its own run does", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(tool);
  fake.fault = "hang";
  const [stay, leave] = [new AbortController(), new AbortController()];
  const first = search.run({ query: "beijing" }, testContext({ signal: stay.signal }));
  await expect.poll(() => fake.journal.length).toBe(1);
  const second = search.run({ query: "beijing" }, testContext({ signal: leave.signal }));
  leave.abort(new Error("second left"));
  await expect(second).rejects.toThrow("second left");
  stay.abort(new Error("first left"));
  await expect(first).rejects.toThrow("first left");
});

test("beyond the budget a search is refused, with the advice to answer from what there is", async () => {
  const { fake, tool } = await surroundings();
  const search = withSearchBudget(tool, 2);
  for (const query of ["a", "b"]) expect((await search.run({ query }, testContext())).ok).toBe(true);
  const refused = await search.run({ query: "c" }, testContext({ locale: "zh" }));
  expect(refused).toMatchObject({ ok: false, error: { code: "tool" } });
  expect(refused.text).toBe(
    "这次运行的搜索次数已用完（最多 2 次），没有执行这次搜索。请根据已有的结果回答，不要再搜索。",
  );
  expect(fake.journal).toHaveLength(2);
});

test("searches side by side do not get past the budget", async () => {
  const { fake, tool } = await surroundings();
  const search = withSearchBudget(tool, 2);
  const results = await Promise.all(["a", "b", "c", "d"].map((query) => search.run({ query }, testContext())));
  expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false]);
  expect(fake.journal).toHaveLength(2);
});

test("what comes from the cache, or asks nobody, costs nothing", async () => {
  const { fake, tool } = await surroundings();
  const search = cached(withSearchBudget(tool, 2));
  for (const query of ["a", "a", "A ", "  ", "b", "a", "b"]) await search.run({ query }, testContext());
  expect(fake.journal.map(({ query }) => query)).toEqual(["a", "b"]);
  expect(await search.run({ query: "a" }, testContext())).toMatchObject({ ok: true, cached: true });
});
