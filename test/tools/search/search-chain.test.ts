import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { canSearch, createWebSearch, type SearchOptions } from "../../../src/tools/search/web-search.ts";
import { type FakeSearch, type SearchFault, startFakeSearch } from "../../fakes/search.ts";
import { testContext } from "../context.ts";

const page = { title: "Beijing", url: "https://example.com/1", content: "Content" };

let fake: FakeSearch;
/** Milliseconds since 1970, moved by hand. */
let time: number;
beforeEach(async () => {
  fake = await startFakeSearch({ beijing: [page] });
  time = 1_800_000_000_000;
});
afterEach(() => fake.close());

type Keyed = "tavily" | "exa" | "parallel" | "brave" | "serper" | "bocha" | "zhipu";

function withKeys(names: readonly Keyed[], over: Partial<SearchOptions> = {}): SearchOptions {
  const options = fake.options();
  const keys = names.map((name) => [name, { ...options[name], apiKey: `${name}-key` }]);
  return { ...options, ...Object.fromEntries(keys), ...over };
}

function createTool(options: SearchOptions) {
  return createWebSearch(options, "en", () => time);
}

const question = { query: "beijing" };
const everyKey = ["tavily", "exa", "parallel", "brave", "serper", "bocha", "zhipu"] as const;

describe("who is asked, in which order", () => {
  async function order(options: SearchOptions) {
    fake.fault = "broken";
    await createTool(options).run(question, testContext());
    return fake.asked();
  }

  test("those with a key, then the ones that want none", async () => {
    expect(await order(withKeys(everyKey))).toEqual([...everyKey, "tavily", "exaMcp", "parallel"]);
    expect(fake.journal.map(({ headers }) => headers.authorization)).toEqual([
      ...["Bearer tavily-key", undefined, "Bearer parallel-key", undefined, undefined],
      ...["Bearer bocha-key", "Bearer zhipu-key", undefined, undefined, undefined],
    ]);
  });

  test("without any key only those that want none", async () => {
    expect(await order(fake.options())).toEqual(["tavily", "exaMcp", "parallel"]);
  });

  test("with a SearXNG of one's own no third party without an account", async () => {
    expect(await order(withKeys(["brave"], { searxng: { url: fake.url } }))).toEqual(["brave", "searxng"]);
  });

  test("with keyless off nobody without an account", async () => {
    expect(await order(withKeys(["serper"], { keyless: false }))).toEqual(["serper"]);
  });

  test("DuckDuckGo last, and only where it is enabled", async () => {
    const { duckduckgo } = fake.options();
    const enabled = { ...duckduckgo, enabled: true };
    expect(await order(withKeys(["bocha"], { keyless: false, duckduckgo: enabled }))).toEqual(["bocha", "duckduckgo"]);
  });

  test("one that is named is asked alone", async () => {
    expect(await order(withKeys(everyKey, { backend: "brave" }))).toEqual(["brave"]);
  });

  test("where nobody may be asked there is no search", () => {
    expect(canSearch(fake.options({ keyless: false }))).toBe(false);
    expect(canSearch(fake.options())).toBe(true);
  });
});

describe("a backend that fails gives way", () => {
  const faults: [SearchFault, RegExp][] = [
    ["unauthorized", /invalid API key/],
    ["plan", /exceeds your plan.*432/],
    ["rate", /limit reached/],
    ["broken", /HTTP 500/],
    ["forbidden", /HTTP 403/],
    ["html", /not a list of results/],
    ["huge", /larger than 2 MB/],
    ["redirect", /redirects to/],
  ];
  test.each(faults)("%s: the next answers, and a notice names both and why", async (fault, why) => {
    fake.faults.tavily = fault;
    const context = testContext();
    const result = await createTool(withKeys(["tavily", "brave"])).run(question, context);
    expect(result).toMatchObject({ ok: true, sources: [{ title: "Beijing" }] });
    expect(fake.asked()).toEqual(["tavily", "brave"]);
    expect(context.notices).toEqual([
      {
        code: "search-fallback",
        message: expect.stringMatching(/^The search with Tavily failed; using Brave instead: /),
      },
    ]);
    expect(context.notices[0]?.message).toMatch(why);
  });

  test("one that cannot be reached", async () => {
    const tavily = { apiKey: "k", baseUrl: "http://127.0.0.1:9" };
    const context = testContext({ locale: "zh" });
    const result = await createTool(withKeys(["brave"], { tavily })).run(question, context);
    expect(result.ok).toBe(true);
    expect(context.notices[0]?.message).toMatch(/^Tavily 搜索失败，改用 Brave：无法连接 127\.0\.0\.1:9/);
  });

  test("to its own keyless mode too, whose third party is named before it gets the query", async () => {
    const isKeyless = (index: number) => fake.journal[index]?.headers["x-tavily-access-mode"] === "keyless";
    fake.faults.exa = "plan";
    const context = testContext();
    const tavily = { ...fake.options().tavily, apiKey: "bad-key" };
    const result = await createTool(withKeys(["exa"], { tavily })).run(question, context);
    expect(result.ok).toBe(true);
    expect([isKeyless(0), fake.asked()[1], isKeyless(2)]).toEqual([false, "exa", true]);
    expect(context.notices.map(({ code, message }) => [code, message.split(":")[0]])).toEqual([
      ["search-fallback", "The search with Tavily failed; using Exa instead"],
      ["search-fallback", "The search with Exa failed; using Tavily (keyless) instead"],
      ["search-third-party", expect.stringContaining("a third party, Tavily")],
    ]);
  });

  test("finding nothing is an answer that nobody else is asked about", async () => {
    const context = testContext();
    const result = await createTool(withKeys(["brave", "serper"])).run({ query: "unknown" }, context);
    expect(result).toMatchObject({ ok: true, sources: [] });
    expect(fake.asked()).toEqual(["brave"]);
    expect(context.notices).toEqual([]);
  });

  test("one that is named does not", async () => {
    fake.faults.tavily = "plan";
    const context = testContext();
    const result = await createTool(withKeys(["tavily", "brave"], { backend: "tavily" })).run(question, context);
    expect(result).toMatchObject({ ok: false, error: { code: "quota" } });
    expect(fake.asked()).toEqual(["tavily"]);
    expect(context.notices).toEqual([]);
  });
});

describe("a backend that failed is left alone", () => {
  async function surroundings(fault: SearchFault) {
    fake.faults.brave = fault;
    const tool = createTool(withKeys(["brave", "serper"], { keyless: false }));
    const context = testContext();
    const search = async () => {
      const before = fake.journal.length;
      expect((await tool.run(question, context)).ok).toBe(true);
      return fake.asked().slice(before);
    };
    expect(await search()).toEqual(["brave", "serper"]);
    fake.faults.brave = undefined;
    return { context, search };
  }

  test("for a minute when it was down, and told once", async () => {
    const { context, search } = await surroundings("broken");
    time += 59_000;
    expect(await search()).toEqual(["serper"]);
    time += 2000;
    expect(await search()).toEqual(["brave"]);
    expect(context.notices).toHaveLength(1);
    fake.faults.brave = "broken";
    expect(await search()).toEqual(["brave", "serper"]);
    expect(context.notices).toHaveLength(2);
  });

  test("for as long as it says when it was asked too often", async () => {
    const { search } = await surroundings("rate");
    expect(await search()).toEqual(["serper"]);
    time += 1001;
    expect(await search()).toEqual(["brave"]);
  });

  test("for ten minutes at most", async () => {
    fake.faults.tavily = "rate";
    const tool = createTool(withKeys(["tavily", "brave"]));
    await tool.run(question, testContext());
    fake.faults.tavily = undefined;
    time += 599_000;
    await tool.run(question, testContext());
    time += 2000;
    await tool.run(question, testContext());
    expect(fake.asked()).toEqual(["tavily", "brave", "brave", "tavily"]);
  });

  test.each(["unauthorized", "plan"] as const)("for good when somebody has to put it right: %s", async (fault) => {
    const { search } = await surroundings(fault);
    time += 1e9;
    expect(await search()).toEqual(["serper"]);
  });

  test("where all are, the one that is back first is asked", async () => {
    fake.faults = { tavily: "plan", brave: "rate", serper: "broken" };
    const tool = createTool(withKeys(["tavily", "brave", "serper"], { keyless: false }));
    const first = await tool.run(question, testContext());
    fake.faults = {};
    expect(first.ok).toBe(false);
    expect((await tool.run(question, testContext())).ok).toBe(true);
    expect(fake.asked()).toEqual(["tavily", "brave", "serper", "brave"]);
  });

  test("searches side by side tell of it once", async () => {
    fake.faults.brave = "broken";
    fake.together = 3;
    const context = testContext();
    const tool = createTool(withKeys(["brave", "serper"], { keyless: false }));
    const results = await Promise.all([1, 2, 3].map(() => tool.run(question, context)));
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(context.notices).toHaveLength(1);
  });
});

describe("where all fail", () => {
  test("the failure names each and its reason, and what to do", async () => {
    fake.faults = { brave: "unauthorized", serper: "plan", bocha: "rate" };
    const tool = createTool(withKeys(["brave", "serper", "bocha"], { keyless: false }));
    const result = await tool.run(question, testContext());
    expect(result).toMatchObject({ ok: false, error: { code: "auth" } });
    expect(result.sources).toBeUndefined();
    expect(result.text).toBe(
      "All search services failed; this does not mean that there are no results. " +
        "Brave: The provided subscription token is invalid. (HTTP 422); Serper: Not enough credits (HTTP 400); " +
        "Bocha: You have reached the request limit (HTTP 200). Check BRAVE_API_KEY. The plan is used up: top it up, set the " +
        "key of another search service, or set SEARXNG_URL. Try again later.",
    );
  });

  test("in Chinese, of those that are left alone too", async () => {
    fake.faults = { brave: "unauthorized", serper: "broken" };
    const tool = createTool(withKeys(["brave", "serper"], { keyless: false }));
    await tool.run(question, testContext());
    const { text } = await tool.run(question, testContext({ locale: "zh" }));
    expect(text).toBe(
      "所有搜索服务都失败了（不代表没有结果）。Brave：The provided subscription token is invalid.（HTTP 422）；Serper：HTTP 500。检查 BRAVE_API_KEY",
    );
    expect(fake.asked()).toEqual(["brave", "serper", "serper"]);
  });
});

test("a cancel ends the chain at once, and is not held against the backend", async () => {
  fake.faults.brave = "hang";
  const controller = new AbortController();
  const context = testContext({ signal: controller.signal });
  const tool = createTool(withKeys(["brave", "serper"], { keyless: false }));
  const running = tool.run(question, context);
  await expect.poll(() => fake.journal.length).toBe(1);
  controller.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
  fake.faults.brave = undefined;
  expect((await tool.run(question, testContext())).ok).toBe(true);
  expect(fake.asked()).toEqual(["brave", "brave"]);
  expect(context.notices).toEqual([]);
});

test("one that does not answer gives way in time for the next", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  fake.faults.brave = "stall";
  const context = testContext();
  const running = createTool(withKeys(["brave", "serper"])).run(question, context);
  await vi.waitFor(() => expect(fake.asked()).toEqual(["brave"]), { timeout: 60_000 });
  vi.advanceTimersByTime(8000);
  const result = await running;
  expect(result).toMatchObject({ ok: true, sources: [{ title: "Beijing" }] });
  expect(context.notices.map(({ message }) => message)).toEqual([
    "The search with Brave failed; using Serper instead: no answer within 8 s",
  ]);
});
