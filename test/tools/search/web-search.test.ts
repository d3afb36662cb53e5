import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listSearchBackends, searchBackendNames } from "../../../src/tools/search/search-backends.ts";
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
  return fake.options(over);
}

function searxng(): SearchOptions {
  return options({ backend: "searxng", searxng: { url: `${fake.url}/` } });
}

describe("the tool's description", () => {
  test("is the requirement's, to the letter, in Chinese", () => {
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
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  test("gets the key as a bearer token, and no notice is given", async () => {
    const context = testContext();
    const tool = createWebSearch(options({ tavily: { baseUrl: fake.url, apiKey: "tvly-test" } }), "en");
    await tool.run({ query: "beijing" }, context);
    expect(fake.journal[0]?.headers).toMatchObject({ authorization: "Bearer tvly-test" });
    expect(fake.journal[0]?.headers).not.toHaveProperty("x-tavily-access-mode");
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

describe("each backend", () => {
  const keyed = listSearchBackends().flatMap(([name, row]) => ("keyEnv" in row ? [name] : []));
  const withKeys = (key: string): Partial<SearchOptions> => {
    const all = keyed.map((name) => [name, { ...options()[name], apiKey: key }]);
    return { ...Object.fromEntries(all), searxng: { url: fake.url } };
  };

  test.each(searchBackendNames)("%s keeps to its service's rules and finds the same", async (backend) => {
    const context = testContext();
    const tool = createWebSearch(options({ ...withKeys("a-key"), backend }), "en");
    const result = await tool.run({ query: "beijing" }, context);
    expect(result).toMatchObject({
      ok: true,
      sources: [
        { title: "Title 1", url: "https://example.com/1", snippet: "Content 1" },
        { title: "Title 2", url: "https://example.com/2", snippet: "Content 2" },
      ],
    });
    expect(fake.asked()).toEqual([backend]);
    expect(fake.journal[0]?.query).toBe("beijing");
    expect(context.notices.map(({ code }) => code)).toEqual(backend === "duckduckgo" ? ["search-third-party"] : []);
  });

  test.each(searchBackendNames)("%s tells nothing found from a failure", async (backend) => {
    const tool = createWebSearch(options({ ...withKeys("a-key"), backend }), "en");
    expect(await tool.run({ query: "nothing here" }, testContext())).toMatchObject({ ok: true, sources: [] });
    fake.fault = "broken";
    expect(await tool.run({ query: "beijing" }, testContext())).toMatchObject({ error: { code: "overloaded" } });
  });

  test.each(searchBackendNames)("%s takes a query of any length, in any script", async (backend) => {
    const tool = createWebSearch(options({ ...withKeys("a-key"), backend }), "zh");
    for (const query of ["很长的问题，".repeat(500), "many words ".repeat(300)])
      expect(await tool.run({ query }, testContext())).toMatchObject({ ok: true });
    for (const { query } of fake.journal) expect(query.length).toBeGreaterThan(30);
  });

  const troubles = [
    ["unauthorized", "auth"],
    ["plan", "quota"],
    ["rate", "rate_limit"],
  ] as const;
  test.each(keyed)("%s's own words for each trouble have their class, and no key in them", async (backend) => {
    for (const [fault, code] of troubles) {
      fake.fault = fault;
      const tool = createWebSearch(options({ ...withKeys("secret-key-1"), backend }), "en");
      const result = await tool.run({ query: "beijing" }, testContext());
      expect(result).toMatchObject({ ok: false, error: { code } });
      expect(result.text).not.toContain("secret-key-1");
    }
  });

  test.each(keyed)("%s does not accept a key that is none", async (backend) => {
    const tool = createWebSearch(options({ ...withKeys("bad-key"), backend }), "en");
    expect(await tool.run({ query: "beijing" }, testContext())).toMatchObject({ error: { code: "auth" } });
  });

  test.each(["exa", "parallel"] as const)(
    "%s works without a key by its MCP server, and says who gets the query",
    async (backend) => {
      const context = testContext();
      const tool = createWebSearch(options({ backend }), "en");
      for (const fault of [undefined, backend === "exa" ? "linger" : undefined] as const) {
        fake.fault = fault;
        expect(await tool.run({ query: "beijing" }, context)).toMatchObject({ sources: [{ title: "Title 1" }, {}] });
      }
      expect(fake.journal.map(({ headers }) => headers.authorization)).toEqual(fake.journal.map(() => undefined));
      expect(fake.journal.length).toBeGreaterThan(0);
      expect(context.notices).toMatchObject([
        { code: "search-third-party", message: expect.stringMatching(/Exa|Parallel/) },
      ]);
      fake.fault = "rate";
      expect(await tool.run({ query: "beijing" }, context)).toMatchObject({
        error: { code: "rate_limit", message: expect.stringMatching(/set (EXA|PARALLEL)_API_KEY/) },
      });
    },
  );

  test.each(["brave", "serper", "bocha", "zhipu"] as const)("%s without a key is a configuration error", (backend) => {
    expect(() => createWebSearch(options({ backend }), "en")).toThrow(/needs a key, but \w+_API_KEY is not set/);
  });

  test("DuckDuckGo's proof of being no robot is told as such", async () => {
    fake.fault = "rate";
    const result = await createWebSearch(options({ backend: "duckduckgo" }), "zh").run(
      { query: "x" },
      testContext({ locale: "zh" }),
    );
    expect(result).toMatchObject({ ok: false, error: { code: "overloaded" } });
    expect(result.text).toMatch(/^DuckDuckGo 搜索失败：要求人机验证/);
  });

  test("SearXNG without an address is a configuration error", () => {
    expect(() => createWebSearch(options({ backend: "searxng" }), "en")).toThrow(/searxng, but SEARXNG_URL is not set/);
  });

  test("an address that is none is a configuration error that shows it", () => {
    expect(() => createWebSearch(options({ searxng: { url: "not a url" } }), "en")).toThrow(/SEARXNG_URL.*"not a url"/);
    expect(() => createWebSearch(options({ tavily: { baseUrl: "ftp://x" } }), "en")).toThrow(
      /TAVILY_BASE_URL.*"ftp:\/\/x"/,
    );
  });

  test.each([
    ["me:p%40ss", "me:p@ss"],
    ["me:100%", "me:100%"],
  ])("a sign-in in SearXNG's address is sent as Basic authentication: %s", async (written, meant) => {
    const url = fake.url.replace("http://", `http://${written}@`);
    await createWebSearch(options({ backend: "searxng", searxng: { url } }), "en").run({ query: "x" }, testContext());
    expect(fake.journal[0]?.headers.authorization).toBe(`Basic ${Buffer.from(meant).toString("base64")}`);
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
    ["a keyless mode that is over", "tavily", "unauthorized", "auth", /invalid API key.*set TAVILY_API_KEY/],
    ["a firewall", "tavily", "forbidden", "overloaded", /HTTP 403/],
    ["a server error", "tavily", "broken", "overloaded", /HTTP 500/],
    ["a page instead of JSON", "searxng", "html", "bad_response", /not a list of results \(HTTP 200, text\/html/],
    ["an answer without end", "tavily", "huge", "bad_response", /larger than 2 MB/],
    ["a redirect", "tavily", "redirect", "bad_response", /redirects to http:\/\/169\.254\.169\.254/],
    ["a compressed answer", "tavily", "gzip", "bad_response", /compressed/],
  ];
  test.each(cases)("%s", async (_, backend, fault, code, message) => {
    fake.fault = fault;
    const tool = createWebSearch(backend === "searxng" ? searxng() : options({ backend }), "en");
    const result = await tool.run({ query: "x" }, testContext());
    expect(result).toMatchObject({ ok: false, error: { code } });
    expect(result.text).toMatch(message);
    expect(result.text).not.toContain("hidden");
  });

  test("a server that is not there", async () => {
    await fake.close();
    const result = await createWebSearch(options({ backend: "tavily" }), "zh").run(
      { query: "x" },
      testContext({ locale: "zh" }),
    );
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
