import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWebSearch, type SearchOptions } from "../../../src/tools/search/web-search.ts";
import { type FakeSearch, type SearchFault, startFakeSearch } from "../../fakes/search.ts";
import { testContext } from "../context.ts";

const page = (n: number, content = `Content ${n}`) => ({
  title: `Title ${n}`,
  url: `https://example.com/${n}`,
  content,
});

let fake: FakeSearch;
beforeEach(async () => {
  fake = await startFakeSearch({ beijing: [page(1), page(2)], many: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => page(n)) });
});
afterEach(() => fake.close());

function options(over: Partial<SearchOptions> = {}): SearchOptions {
  return { backend: "auto", maxResults: 5, snippetLength: 200, tavily: { baseUrl: fake.url }, ...over };
}

function searxng(): SearchOptions {
  return options({ backend: "searxng", searxng: { url: `${fake.url}/` } });
}

describe("the tool's description", () => {
  test("is the spec's, to the letter, in Chinese", () => {
    const tool = createWebSearch(options(), "zh");
    expect(tool.name).toBe("web_search");
    expect(tool.description).toBe(
      "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。",
    );
    expect(tool.inputSchema).toMatchObject({
      properties: { query: { type: "string", description: "搜索查询关键词,应该具体、清晰、针对性强" } },
      required: ["query"],
    });
  });

  test("has English words for English readers", () => {
    expect(createWebSearch(options(), "en").description).toMatch(/^Searches the internet/);
  });
});

describe("Tavily", () => {
  test("is asked without a key by default, and says so in its header", async () => {
    const result = await createWebSearch(options(), "en").run({ query: "beijing" }, testContext());
    expect(result).toEqual({
      ok: true,
      text: "[1] Title 1\nhttps://example.com/1\nContent 1\n\n[2] Title 2\nhttps://example.com/2\nContent 2",
      sources: [
        { title: "Title 1", url: "https://example.com/1", snippet: "Content 1" },
        { title: "Title 2", url: "https://example.com/2", snippet: "Content 2" },
      ],
    });
    const [request] = fake.journal;
    expect(request).toMatchObject({ method: "POST", path: "/search", body: { query: "beijing", max_results: 5 } });
    expect(request?.headers).toMatchObject({ "x-tavily-access-mode": "keyless", "x-client-source": "duet-mcp" });
    expect(request?.headers.authorization).toBeUndefined();
  });

  test("gets the key as a bearer token, and no notice is given", async () => {
    const context = testContext();
    const tool = createWebSearch(options({ tavily: { baseUrl: fake.url, apiKey: "tvly-test" } }), "en");
    await tool.run({ query: "beijing" }, context);
    expect(fake.journal[0]?.headers).toMatchObject({ authorization: "Bearer tvly-test" });
    expect(fake.journal[0]?.headers["x-tavily-access-mode"]).toBeUndefined();
    expect(context.notices).toEqual([]);
  });

  test("the first keyless search names the third party and the way out, once", async () => {
    const context = testContext({ locale: "zh" });
    const tool = createWebSearch(options(), "zh");
    await Promise.all([tool.run({ query: "beijing" }, context), tool.run({ query: "many" }, context)]);
    await tool.run({ query: "else" }, context);
    expect(context.notices).toHaveLength(1);
    expect(context.notices[0]).toMatchObject({ code: "search-third-party" });
    expect(context.notices[0]?.message).toMatch(/Tavily（127\.0\.0\.1.*--no-search/);
  });
});

describe("which backend answers", () => {
  test("auto takes SearXNG when it is set up and Tavily has no key", async () => {
    const context = testContext();
    await createWebSearch(options({ searxng: { url: fake.url } }), "en").run({ query: "beijing" }, context);
    expect(fake.journal[0]).toMatchObject({ method: "GET", path: "/search", query: "beijing" });
    expect(context.notices).toEqual([]);
  });

  test("auto prefers Tavily when it has a key", async () => {
    const both = options({ tavily: { apiKey: "k", baseUrl: fake.url }, searxng: { url: fake.url } });
    await createWebSearch(both, "en").run({ query: "beijing" }, testContext());
    expect(fake.journal[0]?.method).toBe("POST");
  });

  test("SearXNG without an address is a configuration error", () => {
    expect(() => createWebSearch(options({ backend: "searxng" }), "en")).toThrow(/SEARXNG_URL is not set/);
  });

  test("an address that is none is a configuration error that shows it", () => {
    expect(() => createWebSearch(options({ searxng: { url: "not a url" } }), "en")).toThrow(/SEARXNG_URL.*"not a url"/);
    expect(() => createWebSearch(options({ tavily: { baseUrl: "ftp://x" } }), "en")).toThrow(
      /TAVILY_BASE_URL.*"ftp:\/\/x"/,
    );
  });

  test("a sign-in in SearXNG's address is sent as Basic authentication", async () => {
    const url = fake.url.replace("http://", "http://me:p%40ss@");
    await createWebSearch(options({ backend: "searxng", searxng: { url } }), "en").run({ query: "x" }, testContext());
    expect(fake.journal[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  });
});

describe("results", () => {
  test("are at most as many as allowed, with short snippets that end cleanly", async () => {
    const long = `${"Half a sentence, 和中文。".repeat(40)}`;
    await fake.close();
    fake = await startFakeSearch({ "*": [1, 2, 3, 4, 5, 6].map((n) => page(n, long)) });
    const result = await createWebSearch(options(), "en").run({ query: "x" }, testContext());
    expect(result.sources).toHaveLength(5);
    for (const { snippet } of result.sources ?? []) {
      expect(snippet.length).toBeLessThanOrEqual(200);
      expect(snippet.endsWith("…")).toBe(true);
    }
  });

  test("hold no control characters, no other schemes, and no page twice", async () => {
    await fake.close();
    const odd = [
      { title: "Bad\u001b[31m red", url: "https://example.com/a", content: "x\n\n\ty\u202e" },
      { title: "Twice", url: "https://example.com/a", content: "" },
      { title: "Script", url: "javascript:alert(1)", content: "" },
      { title: "", url: "https://no.title/", content: "" },
    ];
    fake = await startFakeSearch({ "*": odd });
    const result = await createWebSearch(options(), "en").run({ query: "x" }, testContext());
    expect(result.sources).toEqual([
      { title: "Bad\\u{1b}[31m red", url: "https://example.com/a", snippet: "x y\\u{202e}" },
      { title: "no.title", url: "https://no.title/", snippet: "" },
    ]);
  });

  test("none is an answer, not an error", async () => {
    for (const tool of [createWebSearch(options(), "zh"), createWebSearch(searxng(), "zh")]) {
      const result = await tool.run({ query: "nothing here" }, testContext({ locale: "zh" }));
      expect(result).toEqual({ ok: true, text: '没有找到与"nothing here"相关的结果。', sources: [] });
    }
  });

  test("an empty query is refused before anybody is asked", async () => {
    const result = await createWebSearch(options(), "en").run({ query: "  " }, testContext());
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect(fake.journal).toEqual([]);
  });

  test("a query of any length is cut to what the services take", async () => {
    await createWebSearch(options(), "en").run({ query: "很长的问题 ".repeat(500) }, testContext());
    expect(fake.journal[0]?.query.length).toBeLessThanOrEqual(400);
  });
});

describe("what goes wrong is told, and never looks like no results", () => {
  const cases: [string, "tavily" | "searxng", SearchFault, string, RegExp][] = [
    ["SearXNG without the json format", "searxng", "formats", "config", /403.*Add json to search\.formats/],
    [
      "SearXNG whose engines are all down",
      "searxng",
      "unresponsive",
      "overloaded",
      /did not respond: brave \(Suspended.*google/,
    ],
    ["SearXNG's limiter", "searxng", "rate", "rate_limit", /429/],
    ["Tavily's keyless cap", "tavily", "rate", "rate_limit", /Keyless daily limit.*TAVILY_API_KEY/],
    ["Tavily's plan limit", "tavily", "plan", "quota", /exceeds your plan.*432/],
    ["a bad key", "tavily", "unauthorized", "auth", /invalid API key.*Check TAVILY_API_KEY/],
    ["a server error", "tavily", "broken", "overloaded", /HTTP 500/],
    ["a page instead of JSON", "searxng", "html", "bad_response", /not JSON \(HTTP 200, text\/html/],
    ["an answer without end", "tavily", "huge", "bad_response", /larger than 2 MB/],
    ["a redirect", "tavily", "redirect", "bad_response", /redirects to http:\/\/169\.254\.169\.254/],
    ["a compressed answer", "tavily", "gzip", "bad_response", /compressed/],
  ];
  test.each(cases)("%s", async (_, backend, fault, code, message) => {
    fake.fault = fault;
    const tool = createWebSearch(backend === "searxng" ? searxng() : options(), "en");
    const result = await tool.run({ query: "x" }, testContext());
    expect(result).toMatchObject({ ok: false, error: { code } });
    expect(result.text).toMatch(message);
  });

  test("a server that is not there", async () => {
    await fake.close();
    const result = await createWebSearch(options(), "zh").run({ query: "x" }, testContext({ locale: "zh" }));
    expect(result).toMatchObject({ ok: false, error: { code: "network" } });
    expect(result.text).toMatch(/^Tavily 搜索失败：无法连接 127\.0\.0\.1/);
  });

  test.each(["hang", "stall"] as const)("a cancel ends the request at once (%s)", async (fault) => {
    fake.fault = fault;
    const controller = new AbortController();
    const running = createWebSearch(options(), "en").run({ query: "x" }, testContext({ signal: controller.signal }));
    await expect.poll(() => fake.journal.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expect.poll(() => fake.journal[0]?.aborted).toBe(true);
  });
});
